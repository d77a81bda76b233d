# find_package() in a cross build: headers are the same for every machine, and libraries of this machine are ignored.
set(hwy_DIR ${CMAKE_CURRENT_LIST_DIR})
set(nlohmann_json_DIR ${CMAKE_CURRENT_LIST_DIR})
