package io.muster.extender.kube.convert;

import java.util.List;

/** The document of queues has mistakes. */
public final class InvalidQueuesException extends Exception {

  private final transient List<String> problems;

  InvalidQueuesException(List<String> problems) {
    super(String.join("; ", problems));
    this.problems = List.copyOf(problems);
  }

  /** Each mistake, with the field and what would be right. */
  public List<String> problems() {
    return problems;
  }
}
