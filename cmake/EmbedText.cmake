# Text files as C++ sources, written while CMake configures: what builds posenc needs no other program. One literal per
# file or line, because compilers limit the length of one.

# Writes a source unless it is there already, so that nothing is compiled again for nothing.
function(posenc_write_source out content)
  if(EXISTS ${out})
    file(READ ${out} before)
    if(before STREQUAL content)
      return()
    endif()
  endif()
  file(WRITE ${out} "${content}")
endfunction()

# posenc_embed_catalog(FOLDER OUT.cc): FOLDER/*.json, sorted by name, as posenc::models::kCatalogFiles and
# kCatalogFileCount (src/models/embedded.h).
function(posenc_embed_catalog folder out)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.json)
  # By name, not by path: "gpt2" stands before "gpt2-xl", which '-' and '.' of "gpt2.json" would turn round.
  list(TRANSFORM files REPLACE "^.*/(.*)\\.json$" "\\1" OUTPUT_VARIABLE names)
  list(SORT names)
  set(entries "")
  foreach(name IN LISTS names)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${name}.json)
    file(READ ${folder}/${name}.json text)
    string(APPEND entries "    {\"${name}\"sv, R\"posenc(${text})posenc\"sv},\n")
  endforeach()
  posenc_write_source(${out} "// Written by CMake from catalog/: change the files there.
#include \"models/embedded.h\"

namespace posenc::models {

using namespace std::string_view_literals;

constexpr CatalogEntry kCatalogFiles[] = {
${entries}};
const std::size_t kCatalogFileCount = std::size(kCatalogFiles);

}  // namespace posenc::models
")
endfunction()

# posenc_embed_lines(FILE SYMBOL OUT.cc): the lines of a text file, without their ends, as posenc::models::SYMBOL and
# SYMBOLCount. Lines may hold [ ] and ; where CMake's own lists would break: the text is never taken for a list.
function(posenc_embed_lines file symbol out)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  string(REGEX REPLACE "\n+$" "" text "${text}")
  string(REPLACE "\n" ")posenc\"sv,\n    R\"posenc(" text "${text}")
  posenc_write_source(${out} "// Written by CMake: change the file of lines that it comes from.
#include <cstddef>
#include <iterator>
#include <string_view>

namespace posenc::models {

using namespace std::string_view_literals;

extern const std::string_view ${symbol}[];
extern const std::size_t ${symbol}Count;

constexpr std::string_view ${symbol}[] = {
    R\"posenc(${text})posenc\"sv,
};
const std::size_t ${symbol}Count = std::size(${symbol});

}  // namespace posenc::models
")
endfunction()
