package io.muster.deploy.doctor;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What one check came to. Immutable.
 *
 * @param check stable name of what was looked at
 * @param evidence what was seen, one line
 * @param remedy what to do, one line; empty if nothing
 */
record Finding(String check, Outcome outcome, String evidence, String remedy) {

  private static final int NAMED = 5;

  /** From best to worst but for the last, which says nothing. */
  enum Outcome {
    OK("ok"),
    PROBLEM("problem"),
    CANNOT_TELL("cannot tell");

    private final String words;

    Outcome(String words) {
      this.words = words;
    }

    @JsonValue
    String words() {
      return words;
    }
  }

  static Finding ok(String check, String evidence) {
    return new Finding(check, Outcome.OK, evidence, "");
  }

  static Finding problem(String check, String evidence, String remedy) {
    return new Finding(check, Outcome.PROBLEM, evidence, remedy);
  }

  static Finding cannotTell(String check, String evidence, String remedy) {
    return new Finding(check, Outcome.CANNOT_TELL, evidence, remedy);
  }

  /** The first five of them, and how many more there are. */
  static String shown(List<?> all) {
    var first = all.stream().limit(NAMED).map(Object::toString).collect(Collectors.joining(", "));
    return all.size() > NAMED ? "%s and %d more".formatted(first, all.size() - NAMED) : first;
  }

  boolean isProblem() {
    return outcome == Outcome.PROBLEM;
  }
}
