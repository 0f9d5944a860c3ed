package io.muster.webhook.json;

import java.util.List;

/** Profiles that cannot be used. */
public final class InvalidProfilesException extends Exception {

  private final List<String> problems;

  InvalidProfilesException(List<String> problems) {
    super(String.join("; ", problems));
    this.problems = List.copyOf(problems);
  }

  /** One sentence each, which begins with the field. */
  public List<String> problems() {
    return problems;
  }
}
