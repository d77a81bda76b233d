// Empty: the target with this file exists only for its precompiled headers.
