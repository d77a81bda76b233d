# Compiler settings of every target of posenc.
function(posenc_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                                             POSITION_INDEPENDENT_CODE ON UNITY_BUILD OFF)
  # Fused multiply-adds only where the source writes them: g++ would otherwise fuse where clang does not, and that
  # breaks exact products.
  # Designated initialisers leave members to their defaults on purpose. g++ 12 sees overlaps in string concatenation
  # and unset members in variants that have none.
  target_compile_options(
    ${target} PRIVATE -ffp-contract=off -Wall -Wextra -Wshadow -Wconversion -Wpedantic -Wno-missing-field-initializers
                      $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-maybe-uninitialized>
                      $<$<BOOL:${POSENC_WERROR}>:-Werror>)
  # By default g++ collects garbage above 128 MB of heap; with 1 GB it compiles 5 % faster and uses 10 % more memory.
  if(PROJECT_IS_TOP_LEVEL)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1000000>)
  endif()
endfunction()

# posenc_precompile(TARGET FROM HEADER...) precompiles the headers that nearly every source includes. TARGET uses the
# precompiled headers of FROM if both are optimised; otherwise FROM is TARGET itself, and may add headers. A build
# without it (POSENC_PRECOMPILE=OFF) shows whether every file includes what it needs.
function(posenc_precompile target from)
  if(NOT POSENC_PRECOMPILE)
    return()
  endif()
  # With precompiled headers g++ 12 wrongly warns about copies beyond the end of strings.
  target_compile_options(
    ${target} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>")
  if(from STREQUAL target)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <cmath> <functional> <memory> <optional> <span> <string>
                              <string_view> <variant> <vector> ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${from})
  endif()
endfunction()
