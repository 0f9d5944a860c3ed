package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.TermsObject;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Waiting;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is made for a gang is what it needs at the moment when its gates open. */
final class CompanionsTest {

  private static final TermsObject GROUP =
      new TermsObject(TermsObject.Kind.PLUGINS_POD_GROUP, "ml", "g");
  private static final GangId G = new GangId(Dialect.SCHEDULER_PLUGINS, "ml", "g");

  private final GangScheduler muster =
      new GangScheduler(
          Deadlines.DEFAULT, new Rules(PlacementMode.NATIVE, NodePinPolicy.NEVER, Waiting.DEFAULT));
  private Instant now = Instant.EPOCH;

  @BeforeEach
  void lead() {
    for (int i = 0; i < 4; i++) {
      on(new Event.NodeSeen(aNode("n" + i).gpus(1).build()));
    }
    on(new Event.LeaseHeld(Instant.MAX, false));
    on(new Event.Ready());
  }

  private List<Effect> on(Event event) {
    return ProtocolScenes.withoutFaults(muster.on(event, now));
  }

  private List<Effect> needs(int minimum) {
    return on(new Event.TermsSeen(GROUP, Optional.of(terms("g", minimum).build())));
  }

  private List<Effect> members() {
    var effects = new ArrayList<Effect>();
    for (int i = 0; i < 4; i++) {
      effects.addAll(
          on(
              new Event.PodSeen(
                  aPod("ml", "g-" + i)
                      .gpus(1)
                      .gang(Dialect.SCHEDULER_PLUGINS, GROUP)
                      .grouped()
                      .gated()
                      .build())));
    }
    return effects;
  }

  private List<Effect> made() {
    return on(new Event.CompanionsEnsured(G, 1, Optional.empty()));
  }

  private List<Effect> after(int seconds) {
    var effects = new ArrayList<Effect>();
    for (int i = 0; i < seconds; i++) {
      now = now.plusSeconds(1);
      effects.addAll(on(new Event.Tick()));
    }
    return effects;
  }

  private static List<Integer> asked(List<Effect> effects) {
    return effects.stream()
        .filter(Effect.EnsureCompanions.class::isInstance)
        .map(effect -> ((Effect.EnsureCompanions) effect).group().orElseThrow().minCount())
        .toList();
  }

  private static Optional<Effect.WriteRecord> record(List<Effect> effects) {
    return effects.stream()
        .filter(Effect.WriteRecord.class::isInstance)
        .map(Effect.WriteRecord.class::cast)
        .reduce((_, last) -> last);
  }

  private List<Effect> stored(Effect.WriteRecord record) {
    return on(new Event.RecordWritten(G, record.gang().epoch(), true));
  }

  private static long released(List<Effect> effects) {
    return effects.stream().filter(Effect.Release.class::isInstance).count();
  }

  @Test
  void aMinimumThatChangesWhileTheGroupIsMadeHasItMadeAnewBeforeAGateIsOpened() {
    needs(2);
    assertThat(asked(members())).containsExactly(2);
    assertThat(asked(needs(3))).isEmpty();
    var first = made();
    assertThat(asked(first)).containsExactly(3);
    assertThat(record(first)).isEmpty();
    var second = made();
    assertThat(asked(second)).isEmpty();
    assertThat(released(stored(record(second).orElseThrow()))).isGreaterThanOrEqualTo(3);
  }

  /** Kube-scheduler compares their priorities from Kubernetes 1.37 on. */
  @Test
  void anotherPriorityHasThePodGroupMadeAnew() {
    needs(2);
    assertThat(priorities(members())).containsExactly(Optional.of(0));
    var late = aPod("ml", "late").gpus(1).gang(Dialect.SCHEDULER_PLUGINS, GROUP).grouped().gated();
    on(new Event.PodSeen(late.priority(9).build()));
    var first = made();
    assertThat(record(first)).isEmpty();
    assertThat(priorities(first)).containsExactly(Optional.empty());
  }

  private static List<Optional<Integer>> priorities(List<Effect> effects) {
    return effects.stream()
        .filter(Effect.EnsureCompanions.class::isInstance)
        .map(effect -> ((Effect.EnsureCompanions) effect).group().orElseThrow().priority())
        .toList();
  }

  /** It has come back to what the group is made for. */
  @Test
  void aMinimumThatChangesToAndFroNeedsNothingTwiceButIsAskedForOnceMore() {
    needs(2);
    members();
    needs(3);
    needs(2);
    assertThat(asked(made())).containsExactly(2);
    assertThat(record(made())).isPresent();
  }

  @Test
  void aMinimumThatChangesWhileTheRecordIsStoredOpensNoGateBeforeTheGroupIsMadeAnew() {
    needs(2);
    members();
    var record = record(made()).orElseThrow();
    needs(3);
    var effects = new ArrayList<>(stored(record));
    effects.addAll(after(5));
    assertThat(released(effects)).isZero();
    assertThat(asked(effects)).containsExactly(3);
    assertThat(released(stored(record(made()).orElseThrow()))).isGreaterThanOrEqualTo(3);
  }

  private void start() {
    var record = record(made()).orElseThrow();
    stored(record);
    record
        .gang()
        .placement()
        .forEach((uid, place) ->
            on(
                new Event.PodSeen(
                    aPod("ml", place.podName())
                        .uid(uid)
                        .gpus(1)
                        .gang(Dialect.SCHEDULER_PLUGINS, GROUP)
                        .grouped()
                        .on(place.node())
                        .build())));
  }

  /** The API of PodGroups went while the gang ran, as when the feature was turned off. */
  @Test
  void whoJoinsWithoutAGroupDoesNotWaitForTheOneThatOthersAreIn() {
    needs(2);
    members();
    start();
    on(
        new Event.TermsGone(
            new TermsObject(
                TermsObject.Kind.NATIVE_POD_GROUP, "ml", Markings.NativeGroup.nameOf(G))));
    var joining =
        new ArrayList<>(
            on(
                new Event.PodSeen(
                    aPod("ml", "g-9")
                        .gpus(1)
                        .gang(Dialect.SCHEDULER_PLUGINS, GROUP)
                        .gated()
                        .build())));
    joining.addAll(after(5));
    assertThat(joining)
        .anyMatch(
            effect -> effect instanceof Effect.Ungate ungate && ungate.pod().name().equals("g-9"));
  }

  /** Who joins is bound beside those that run, whatever the group asks for. */
  @Test
  void aGangThatHasStartedTakesTheGroupAsItIs() {
    needs(2);
    members();
    start();
    var joining = new ArrayList<>(needs(3));
    joining.addAll(
        on(
            new Event.PodSeen(
                aPod("ml", "g-9")
                    .gpus(1)
                    .gang(Dialect.SCHEDULER_PLUGINS, GROUP)
                    .grouped()
                    .gated()
                    .build())));
    var group =
        joining.stream()
            .filter(Effect.EnsureCompanions.class::isInstance)
            .map(effect -> ((Effect.EnsureCompanions) effect).group().orElseThrow())
            .findFirst()
            .orElseThrow();
    assertThat(group.hasStarted()).isTrue();
    assertThat(made()).anyMatch(Effect.Ungate.class::isInstance);
  }
}
