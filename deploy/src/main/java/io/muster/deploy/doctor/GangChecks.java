package io.muster.deploy.doctor;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.deploy.config.Config;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangObjects;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Gangs that no deadline of Muster's should have left where they are. */
record GangChecks(KubernetesClient client, Config settings, InstantSource clock) {

  private static final String CHECK = "gangs";

  /** What a busy Muster may take beyond a deadline. */
  private static final Duration GRACE = Duration.ofSeconds(30);

  List<Finding> findings() {
    var gangs = client.resources(Gang.class).inAnyNamespace().list().getItems();
    var stuck = new ArrayList<String>();
    var broken = new ArrayList<String>();
    for (var gang : gangs) {
      var phase = phase(gang);
      if (phase.filter(Phase.BROKEN::equals).isPresent()) {
        broken.add("%s (%s)".formatted(name(gang), gang.getStatus().message()));
      } else if (phase.flatMap(this::limit).filter(limit -> isOver(gang, limit)).isPresent()) {
        stuck.add(
            "%s (%s since %s)"
                .formatted(
                    name(gang), gang.getStatus().phase(), gang.getStatus().lastTransitionTime()));
      }
    }
    var findings = new ArrayList<Finding>();
    if (!broken.isEmpty()) {
      findings.add(
          Finding.problem(
              CHECK + ".broken",
              Finding.shown(broken),
              "muster explain gang/NAME says what would complete it"));
    }
    if (!stuck.isEmpty()) {
      findings.add(
          Finding.problem(
              CHECK + ".stuck",
              Finding.shown(stuck),
              "is a Muster leading? If so, its log names the gang; see failures.md"));
    }
    if (findings.isEmpty()) {
      findings.add(Finding.ok(CHECK, "none of %d is broken or late".formatted(gangs.size())));
    }
    return findings;
  }

  private static Optional<Phase> phase(Gang gang) {
    return Optional.ofNullable(gang.getStatus())
        .flatMap(status -> GangObjects.phaseOf(Objects.requireNonNullElse(status.phase(), "")));
  }

  /** How long a gang may be in that phase; empty if for ever. */
  private Optional<Duration> limit(Phase phase) {
    return switch (phase) {
      case PLANNED -> Optional.of(settings.deadlines().volume().plus(GRACE));
      case BINDING ->
          Optional.of(settings.deadlines().burst().plus(settings.deadlines().repair()).plus(GRACE));
      case WAITING, RUNNING, BROKEN, FINISHED -> Optional.empty();
    };
  }

  private boolean isOver(Gang gang, Duration limit) {
    var since = Objects.requireNonNullElse(gang.getStatus().lastTransitionTime(), "");
    try {
      return Instant.parse(since).plus(limit).isBefore(clock.instant());
    } catch (DateTimeException _) {
      return false;
    }
  }

  private static String name(HasMetadata object) {
    return object.getMetadata().getNamespace() + "/" + object.getMetadata().getName();
  }
}
