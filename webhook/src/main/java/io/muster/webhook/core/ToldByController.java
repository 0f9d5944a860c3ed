package io.muster.webhook.core;

import io.muster.webhook.core.facts.PodFacts;
import io.muster.webhook.core.patch.EnvVar;
import java.util.Optional;
import java.util.regex.Pattern;

/** What the controller of a pod's job has told the pod by variables. */
final class ToldByController {

  /** By which Volcano tells where the members of each task are, in a variable for each. */
  private static final Pattern HOSTS_OF_TASK = Pattern.compile("VC_[A-Z0-9_]+_HOSTS");

  private ToldByController() {}

  /** Its rank among all members. */
  static Optional<Integer> rank(PodFacts facts) {
    return facts.containers().stream()
        .flatMap(container -> container.env("RANK").stream())
        .filter(EnvVar.Literal.class::isInstance)
        .map(source -> ((EnvVar.Literal) source).value())
        .filter(value -> value.matches("[0-9]{1,9}"))
        .map(Integer::valueOf)
        .findFirst();
  }

  /** Whether its job has more than one role. */
  static boolean isOneOfSeveralRoles(PodFacts facts) {
    return facts.containers().stream()
            .flatMap(container -> container.env().entries().stream())
            .map(entry -> entry.variable().name())
            .filter(HOSTS_OF_TASK.asMatchPredicate())
            .distinct()
            .count()
        > 1;
  }
}
