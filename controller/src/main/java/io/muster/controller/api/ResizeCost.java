package io.muster.controller.api;

import java.time.Duration;
import java.util.Map;

/**
 * For how long all of a job stands still whenever its size changes, as its owner says it by an
 * annotation, in whole seconds. Stateless.
 */
public final class ResizeCost {

  public static final String ANNOTATION = "muster.io/resize-cost";

  /** What a wrong value is answered with. */
  public static final String TEXT =
      "resize-cost must be a whole number from 0 to 86400: seconds that the job stands still when"
          + " its size changes";

  private static final int MOST = 86_400;
  private static final Duration DEFAULT = Duration.ofSeconds(60);

  private ResizeCost() {}

  /** Whether there is nothing wrong with it. */
  public static boolean isSound(Map<String, String> annotations) {
    var said = annotations.get(ANNOTATION);
    return said == null || (said.matches("[0-9]{1,5}") && Integer.parseInt(said) <= MOST);
  }

  /** As it is said, or a minute. */
  public static Duration of(Map<String, String> annotations) {
    return annotations.containsKey(ANNOTATION) && isSound(annotations)
        ? Duration.ofSeconds(Integer.parseInt(annotations.get(ANNOTATION)))
        : DEFAULT;
  }
}
