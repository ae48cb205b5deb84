// Files that become part of the library as they are. CMake says where they lie.
#pragma once

#define BRIDLE_EMBED(name, file)                        \
  asm(".pushsection .rodata\n"                          \
      ".globl bridle_" #name                            \
      "_begin\n"                                        \
      "bridle_" #name "_begin:\n.incbin \"" file        \
      "\"\n"                                            \
      ".globl bridle_" #name                            \
      "_end\n"                                          \
      "bridle_" #name "_end:\n.byte 0\n.popsection\n"); \
  extern "C" const char bridle_##name##_begin[], bridle_##name##_end[]
