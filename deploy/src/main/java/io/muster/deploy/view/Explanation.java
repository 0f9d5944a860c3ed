package io.muster.deploy.view;

import java.util.List;

/**
 * Why something is where it is.
 *
 * @param subject what was asked about, as its user names it
 * @param sentence why, one sentence
 * @param evidence what that rests on, one line each
 * @param remedy what would change it; empty if nothing is to be done
 * @param isWell whether it runs, or has run to its end
 */
public record Explanation(
    String subject, String sentence, List<String> evidence, String remedy, boolean isWell) {
  public Explanation {
    evidence = List.copyOf(evidence);
  }
}
