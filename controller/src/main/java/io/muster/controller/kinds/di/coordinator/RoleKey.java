package io.muster.controller.kinds.di.coordinator;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Names a role of a job with a coordinator in the engine: what its pods are, and which request
 * asked for them. Immutable.
 *
 * @param request its id; 0 for the coordinator
 * @param learner which of the request's learners, where each is a set of pods; 0 otherwise
 */
public record RoleKey(Kind kind, int request, int learner) {

  /** What the pods of a role are. */
  enum Kind {
    COORDINATOR,
    COLLECTOR,
    LEARNER,
    /** An aggregator and the pods behind it. */
    SET
  }

  static final RoleKey COORDINATOR = new RoleKey(Kind.COORDINATOR, 0, 0);

  private static final Pattern WRITTEN = Pattern.compile("([a-z]+)\\.([0-9]{1,9})\\.([0-9]{1,9})");

  /** As the engine and the pods have it. */
  String written() {
    return "%s.%d.%d".formatted(kind.name().toLowerCase(Locale.ROOT), request, learner);
  }

  static Optional<RoleKey> read(String written) {
    var match = WRITTEN.matcher(written);
    if (!match.matches()) {
      return Optional.empty();
    }
    for (var kind : Kind.values()) {
      if (kind.name().equalsIgnoreCase(match.group(1))) {
        return Optional.of(
            new RoleKey(kind, Integer.parseInt(match.group(2)), Integer.parseInt(match.group(3))));
      }
    }
    return Optional.empty();
  }

  /** In the words of DI-orchestrator: the replica-type of the pod with that index. */
  String type(int index, int podsOfSet) {
    return switch (kind) {
      case COORDINATOR -> CoordinatorNames.COORDINATOR;
      case COLLECTOR -> CoordinatorNames.COLLECTOR;
      case LEARNER -> CoordinatorNames.LEARNER;
      case SET ->
          index % podsOfSet == 0 ? CoordinatorNames.AGGREGATOR : CoordinatorNames.DDP_LEARNER;
    };
  }
}
