# Everything is built by CMake (see CMakePresets.json) into build/<preset>.
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
posenc := build/demo/cli/posenc

.PHONY: help demo figures test test-all cross bench fuzz format install clean build-demo

help:
	@echo 'make demo      build posenc and show what it does'
	@echo 'make test      build with g++, and with clang and sanitizers, and run every test; compile for other machines'
	@echo 'make test-all  the same for every library, with plain clang, shared libraries, ThreadSanitizer, every file compiled alone'
	@echo 'make cross     compile the library for aarch64 and WebAssembly'
	@echo 'make bench     time posenc on this machine, and PyTorch if it is installed'
	@echo 'make figures   draw the figures of docs/ and its lesson page again'
	@echo 'make fuzz      run each fuzzer for FUZZ_SECONDS ($(FUZZ_SECONDS)) seconds'
	@echo 'make format    format the C++ sources in place'
	@echo 'make install   install below PREFIX ($(PREFIX)); DESTDIR is honoured'
	@echo 'make clean     remove build/ and demo/'
	@echo 'Each first installs the Debian packages that it needs (tools/setup).'

build-demo:
	cmake --preset demo
	cmake --build --preset demo -j $(JOBS)

demo:
	tools/setup demo
	$(MAKE) build-demo
	tools/demo $(posenc)

figures:
	tools/setup demo
	$(MAKE) build-demo
	tools/figures $(posenc)

test:
	tools/setup test
	tools/test

test-all:
	tools/setup test-all
	tools/test --all

cross:
	tools/setup cross
	for preset in aarch64 wasm; do \
	  cmake --preset $$preset && cmake --build --preset $$preset -j $(JOBS) || exit; \
	done

bench:
	tools/setup bench
	$(MAKE) build-demo
	$(posenc) bench
	tools/bench_peers $(posenc)

fuzz:
	tools/setup fuzz
	cmake --preset asan
	cmake --build --preset asan -j $(JOBS) --target tests/fuzz/all
	tests/fuzz/run.sh build/asan $(FUZZ_SECONDS)

format:
	tools/setup format
	tools/format

# The prefix is given at configure time too: Debian's folder for libraries depends on it.
install:
	tools/setup install
	cmake --preset demo -DCMAKE_INSTALL_PREFIX=$(PREFIX)
	cmake --build --preset demo -j $(JOBS)
	DESTDIR=$(DESTDIR) cmake --install build/demo --prefix $(PREFIX)

clean:
	rm -rf build demo
