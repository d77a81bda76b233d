# Public headers that moved in 0.2: for one release the old path includes the new one. docs/migration.md has this list too,
# and tests/rules compares the two. old=new: it has another name too.
set(posenc_moved_files array file gguf json load load_layer npy safetensors spec_json)
set(posenc_moved_models catalog compare model)
set(posenc_moved_insight analysis check context_plan demonstration diagnose drawing exercises explain figure report
    subject=kind_facts svg terminal)
set(posenc_moved_plot plot)

file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)

# posenc_forward(files OUT): the headers of posenc::files, those at their old paths included, in the variable OUT.
function(posenc_forward library out)
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/posenc/${library}/*.h)
  foreach(moved IN LISTS posenc_moved_${library})
    string(REGEX REPLACE "=.*" "" old ${moved})
    string(REGEX REPLACE ".*=" "" name ${moved})
    set(old ${PROJECT_BINARY_DIR}/include/posenc/${old}.h)
    file(CONFIGURE OUTPUT ${old} @ONLY CONTENT
"// Moved: include posenc/${library}/${name}.h instead. This path goes away in 0.3.
#pragma once
#include \"posenc/${library}/${name}.h\"
")
    list(APPEND headers ${old})
  endforeach()
  set(${out} ${headers} PARENT_SCOPE)
endfunction()
