# clang 14 with Debian's wasi-libc and libc++-14-dev-wasm32. The library is compiled, not linked.
set(CMAKE_SYSTEM_NAME Generic)  # CMake 3.25 does not know WASI
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_CXX_COMPILER clang++-14)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
# Highway's WebAssembly vectors have no double, so its scalar target is used and vectorised by the compiler. By default
# clang would also search /usr/include and find the headers of this machine's libc where WASI has none.
set(CMAKE_CXX_FLAGS_INIT "-msimd128 -DHWY_COMPILE_ONLY_SCALAR -fno-exceptions -fno-rtti -nostdlibinc \
-isystem /usr/include/wasm32-wasi/c++/v1 -idirafter /usr/include/wasm32-wasi")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
include(${CMAKE_CURRENT_LIST_DIR}/headers_only.cmake)
