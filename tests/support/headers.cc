// Nothing: the target that has this file is there for its precompiled headers.
