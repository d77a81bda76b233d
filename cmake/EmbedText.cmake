# Turns text files into C++ sources while CMake configures, so that the build needs no other program. There is one
# literal per file or line, because compilers limit the length of a literal.

# Writes a source only if its contents change, so that nothing is compiled again without need.
function(posenc_write_source out content)
  if(EXISTS ${out})
    file(READ ${out} before)
    if(before STREQUAL content)
      return()
    endif()
  endif()
  file(WRITE ${out} "${content}")
endfunction()

# posenc_embed_files(OUT.cc HEADER ENTRY SYMBOL FOLDER SUFFIX NAME...): the files FOLDER/NAME+SUFFIX as SYMBOLs, an array of
# ENTRY{NAME, text}, and SYMBOLCount, its length. HEADER declares them; SYMBOL has its namespace before it.
function(posenc_embed_files out header entry symbol folder suffix)
  string(REGEX MATCH "^(.*)::([^:]+)$" unused ${symbol})
  set(namespace ${CMAKE_MATCH_1})
  set(symbol ${CMAKE_MATCH_2})
  set(entries "")
  foreach(name IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${name}${suffix})
    file(READ ${folder}/${name}${suffix} text)
    string(APPEND entries "    {\"${name}\"sv, R\"posenc(${text})posenc\"sv},\n")
  endforeach()
  cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE source)
  posenc_write_source(${out} "// Written by CMake from ${source}/: change the files there.
#include \"${header}\"

namespace ${namespace} {

using namespace std::string_view_literals;

constexpr ${entry} ${symbol}s[] = {
${entries}};
const std::size_t ${symbol}Count = std::size(${symbol}s);

}  // namespace ${namespace}
")
endfunction()

# posenc_embed_catalog(FOLDER OUT.cc): FOLDER/*.json, sorted by name, as posenc::models::kCatalogFiles (src/models/embedded.h).
function(posenc_embed_catalog folder out)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.json)
  # Sorted by name, not by path: in paths '-' sorts before '.', so that gpt2-xl.json would precede gpt2.json.
  list(TRANSFORM files REPLACE "^.*/(.*)\\.json$" "\\1" OUTPUT_VARIABLE names)
  list(SORT names)
  posenc_embed_files(${out} models/embedded.h CatalogEntry posenc::models::kCatalogFile ${folder} .json ${names})
endfunction()

# posenc_embed_assets(FOLDER OUT.cc): every file below FOLDER, by its path there, as posenc::teaching::kAssets
# (src/insight/teaching/assets.h).
function(posenc_embed_assets folder out)
  file(GLOB_RECURSE names CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*)
  posenc_embed_files(${out} insight/teaching/assets.h Asset posenc::teaching::kAsset ${folder} "" ${names})
endfunction()

# posenc_embed_lines(FILE SYMBOL OUT.cc): the lines of a text file, without their ends, as SYMBOL (with its namespace) and
# SYMBOLCount. Lines may contain [ ] and ; which would break CMake lists, so the text is never treated as a list.
function(posenc_embed_lines file symbol out)
  string(REGEX MATCH "^(.*)::([^:]+)$" unused ${symbol})
  set(namespace ${CMAKE_MATCH_1})
  set(symbol ${CMAKE_MATCH_2})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  string(REGEX REPLACE "\n+$" "" text "${text}")
  string(REPLACE "\n" ")posenc\"sv,\n    R\"posenc(" text "${text}")
  posenc_write_source(${out} "// Written by CMake: change the file of lines that it comes from.
#include <cstddef>
#include <iterator>
#include <string_view>

namespace ${namespace} {

using namespace std::string_view_literals;

extern const std::string_view ${symbol}[];
extern const std::size_t ${symbol}Count;

constexpr std::string_view ${symbol}[] = {
    R\"posenc(${text})posenc\"sv,
};
const std::size_t ${symbol}Count = std::size(${symbol});

}  // namespace ${namespace}
")
endfunction()
