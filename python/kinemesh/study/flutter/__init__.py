"""Flutter by derivatives: roots over the speed index, crossings of all modes, the boundary."""
