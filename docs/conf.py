"""Sphinx: `sphinx-build -W docs build/docs`; pages are Markdown (MyST)."""

import re
import sys
from importlib import metadata
from pathlib import Path

from docutils import nodes
from sphinx.transforms import SphinxTransform

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))
import docstrings
import kernels_md

project = "kinemesh"
author = "the kinemesh authors"
copyright = author
try:
    release = metadata.version("kinemesh")
except metadata.PackageNotFoundError:  # sources on the path, not installed
    release = "not installed"

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.mathjax", "sphinx.ext.napoleon"]
kernels_md.write()
exclude_patterns = ["**.ipynb_checkpoints"]
html_theme = "furo"
html_title = f"kinemesh {release}"
html_copy_source = False

myst_enable_extensions = ["amsmath", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "off"  # -D nb_execution_mode=force draws the figures of the notebooks
nb_execution_raise_on_error = True
nb_execution_in_temp = True  # where a sweep has its folder
nb_execution_timeout = 300  # [s] per cell

default_role = "code"
autodoc_typehints = "signature"
# names that stay as the sources write them
ALIASES = ("ArrayLike", "Complexes", "FloatArray", "Floats", "Ints", "NDArray")
autodoc_type_aliases = {name: name for name in ALIASES}
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
maximum_signature_line_length = 72
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"


class Tags(SphinxTransform):
    r"""Equations with a \tag keep it and can be linked to (#eq-2-15b).

    Left to itself, Sphinx wraps equations that contain a line break in `split`, in which MathJax
    allows no \tag.
    """

    default_priority = 400

    def apply(self, **kwargs):
        """Give every displayed equation its delimiters and the ids of its tags."""
        for node in list(self.document.findall(nodes.math_block)):
            text = node.astext()
            tags = re.findall(r"[\w.]+", " ".join(re.findall(r"\\tag\{(.*?)\}", text)))
            anchors = [nodes.target(ids=[f"eq-{tag.replace('.', '-')}"]) for tag in tags]
            at = node.parent.index(node)
            node.parent[at:at] = anchors
            if not text.lstrip().startswith(r"\begin{"):
                node.children = [nodes.Text(rf"\[{text}\]")]
            node["nowrap"] = node["no-wrap"] = True


def _docstring(app, what, name, obj, options, lines):
    """Plain numpydoc; of a property napoleon would take what is before a colon for its type."""
    lines[:] = docstrings.documented(obj, lines)
    if isinstance(obj, property):
        lines[0] = lines[0].replace(": ", ", ", 1)


def _signature(app, what, name, obj, options, signature, returned):
    """Aliases within other types, which Sphinx writes as the objects that stand for them."""

    def plain(text):
        return text and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", text)

    return plain(signature), plain(returned)


def setup(app):
    """Before napoleon, which listens at 500."""
    app.add_transform(Tags)
    app.connect("autodoc-process-docstring", _docstring, priority=400)
    app.connect("autodoc-process-signature", _signature)
