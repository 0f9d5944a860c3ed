package io.muster.extender.core.gang;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/** How far a namespace has let Muster in, as its label {@value #LABEL} says. */
public enum Enrolment {

  /** Gangs start whole or not at all; GPU pods without gang get defaults where they can be had. */
  GANG("gang"),

  /** As {@link #GANG}, and a GPU pod without gang is refused rather than stored without them. */
  ALL("all"),

  /** Gangs are recognised and planned on paper, to be observed; nothing is changed or held. */
  SHADOW("shadow");

  /** On a namespace; without it, or with a value that is none of these, the default counts. */
  public static final String LABEL = "muster.io/enrol";

  /**
   * On Muster's own namespace, with any value but {@code false}: Muster lets go of the cluster and
   * passes everything through, as if every namespace were in the shadow.
   */
  public static final String RELEASED_LABEL = "muster.io/released";

  private final String value;

  Enrolment(String value) {
    this.value = value;
  }

  /** The label's value. */
  public String value() {
    return value;
  }

  /**
   * What the labels of a namespace say.
   *
   * @param fallback where they say nothing that is known
   */
  public static Enrolment of(Map<String, String> labels, Enrolment fallback) {
    return stated(labels).orElse(fallback);
  }

  /** What the label is, where it is none of the values there are. */
  public static Optional<String> unknown(Map<String, String> labels) {
    return Optional.ofNullable(labels.get(LABEL)).filter(_ -> stated(labels).isEmpty());
  }

  private static Optional<Enrolment> stated(Map<String, String> labels) {
    return ofValue(labels.getOrDefault(LABEL, ""));
  }

  /** By the label's value; empty where it is none of these. */
  public static Optional<Enrolment> ofValue(String value) {
    return Arrays.stream(values()).filter(known -> known.value.equals(value)).findFirst();
  }

  /** Whether the labels of Muster's own namespace say that the cluster is let go of. */
  public static boolean isReleased(Map<String, String> labels) {
    return !labels.getOrDefault(RELEASED_LABEL, "false").equals("false");
  }
}
