package io.muster.sandbox;

/** A program that is built from a {@link GoModule}. */
interface GoProgram {

  /** Its name in the cache. */
  String file();

  String goPackage();

  /** The file name that go build gives it. */
  String builtAs();
}
