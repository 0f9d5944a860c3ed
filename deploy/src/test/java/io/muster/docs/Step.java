package io.muster.docs;

import java.util.Optional;

/** One code block of a page that is followed line by line, and what becomes of it. */
public sealed interface Step {

  /** Where its text begins in the page, from 1. */
  int line();

  /**
   * Given to a shell.
   *
   * @param expected what it prints, as {@link ExpectedOutput} reads it; empty where the page does
   *     not say
   */
  record Shell(int line, String script, Optional<String> expected) implements Step {}

  /** Saved under that name in the folder in which the reader works. */
  record Saved(int line, String file, String text) implements Step {}

  /**
   * Cannot be run where tests run; whoever follows the page does in its stead what the name says.
   *
   * @param reason why, from the page's source
   */
  record Played(int line, String name, String reason, String text) implements Step {}
}
