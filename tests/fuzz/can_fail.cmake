# A replay of sound inputs passes; one with an input that a target refuses, or that it throws at, fails and names that
# input; and so do a replay of nothing and one of an archive that is damaged or missing.
set(packed ${WORK_FOLDER}/packed)

# replay(FINDING): replays the archive. FINDING: "" where it must pass, else what its failure must say.
function(replay finding)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -DREPLAY=${REPLAY} -DTARGET=${TARGET} -DARCHIVE=${ARCHIVE}
            -DWORK_FOLDER=${WORK_FOLDER}/replay -P ${CMAKE_CURRENT_LIST_DIR}/replay.cmake
    RESULT_VARIABLE result
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  if(finding STREQUAL "" AND NOT result EQUAL 0)
    message(FATAL_ERROR "a sound replay failed:\n${output}")
  elseif(NOT finding STREQUAL "" AND (result EQUAL 0 OR NOT output MATCHES "${finding}"))
    message(FATAL_ERROR "expected a failure that says \"${finding}\", got ${result}:\n${output}")
  endif()
endfunction()

# replay_inputs(FINDING INPUTS...): the same for an archive of files of these contents, named like them.
function(replay_inputs finding)
  file(REMOVE_RECURSE ${packed})
  file(MAKE_DIRECTORY ${packed})
  foreach(input IN LISTS ARGN)
    file(WRITE ${packed}/${input} ${input})
  endforeach()
  execute_process(COMMAND ${CMAKE_COMMAND} -E tar cf ${ARCHIVE} --zstd . WORKING_DIRECTORY ${packed}
                  COMMAND_ERROR_IS_FATAL ANY)
  replay("${finding}")
endfunction()

replay_inputs("" a b)
replay_inputs("check\n.*control failed" a check z)
replay_inputs("throw\n.*control failed" a throw z)
replay_inputs("0 inputs")
file(WRITE ${ARCHIVE} "no archive")
replay("cannot unpack")
file(REMOVE ${ARCHIVE})
replay("cannot unpack")
