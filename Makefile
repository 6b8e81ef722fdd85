# SPDX-License-Identifier: Apache-2.0
# Thin on purpose: packaging/ holds the scripts, CMakeLists.txt the build.
PREFIX ?= /usr/local

.PHONY: run test bench install clean

run:
	@packaging/bootstrap run
	@packaging/build programs
	@packaging/run-example $(ARGS)

test:
	@packaging/bootstrap test
	@packaging/build all
	@packaging/run-tests $(ARGS)

bench:
	@packaging/bootstrap test
	@packaging/build programs
	@tests/bench/run $(ARGS)

install:
	@packaging/bootstrap run
	@packaging/build programs
	cmake --install build/release --prefix $(PREFIX)

clean:
	rm -rf build
