# Filled in by the packaging work: install rules and the package configuration file.
