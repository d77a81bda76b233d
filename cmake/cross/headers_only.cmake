# find_package() of a cross build: the same headers serve every machine, and a library for this one is not looked at.
set(hwy_DIR ${CMAKE_CURRENT_LIST_DIR})
set(nlohmann_json_DIR ${CMAKE_CURRENT_LIST_DIR})
