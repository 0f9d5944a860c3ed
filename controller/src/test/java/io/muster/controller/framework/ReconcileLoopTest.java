package io.muster.controller.framework;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.atMost;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.IndexedResourceCache;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.muster.controller.port.JobMeter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The kind is a ConfigMap here: nothing of this depends on which it is. */
final class ReconcileLoopTest {

  private static final Optional<Duration> AT_ONCE = Optional.of(Duration.ZERO);

  private final List<String> done = new ArrayList<>();
  private final JobMeter meter = mock();
  private final Context<ConfigMap> context = mock();
  private final IndexedResourceCache<ConfigMap> jobs = mock();
  private final ReconcileLoop<ConfigMap, JobMemory> loop =
      new ReconcileLoop<>(JobMemory::new, meter);
  private final List<ConfigMap> there = new ArrayList<>();
  private Duration next = Duration.ofSeconds(1);
  private int refusals;

  @BeforeEach
  void nobodyElseIsThere() {
    when(context.getPrimaryCache()).thenReturn(jobs);
    when(jobs.list()).thenAnswer(_ -> there.stream());
  }

  /** Every decision is to do a, then b, and to come again. */
  private Optional<Duration> reconcile(String version) {
    return reconcile("u", version);
  }

  private Optional<Duration> reconcile(String uid, String version) {
    var job =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName("j")
            .withNamespace("ml")
            .withUid(uid)
            .withResourceVersion(version)
            .endMetadata()
            .build();
    return loop.reconcile(
            job,
            context,
            (seen, _, _) -> {
              done.add("decide");
              return new PendingSteps<>(
                  seen,
                  List.of(step("a"), step("b")),
                  _ -> UpdateControl.<ConfigMap>noUpdate().rescheduleAfter(next));
            })
        .getScheduleDelay()
        .map(Duration::ofMillis);
  }

  private PendingSteps.Step step(String name) {
    return PendingSteps.Step.of(() -> {
      if (refusals > 0) {
        refusals--;
        throw new KubernetesClientException(
            "no", 403, new StatusBuilder().withCode(403).withReason("Forbidden").build());
      }
      done.add(name);
    });
  }

  @Test
  void aReconcileDecidesOrTakesOneStepAndTheNextOneComesAtOnce() {
    assertThat(reconcile("1")).isEqualTo(AT_ONCE);
    assertThat(done).containsExactly("decide");
    assertThat(reconcile("1")).isEqualTo(AT_ONCE);
    assertThat(done).containsExactly("decide", "a");
    assertThat(reconcile("1")).contains(next);
    assertThat(done).containsExactly("decide", "a", "b");
    verify(meter, times(3)).reconciled(eq(JobMeter.Outcome.DONE), any());
  }

  /** The first of them has left no trace in the cluster when the others come. */
  @Test
  void whatIsRememberedOfJobsThatHaveGoneIsForgottenWithoutReadingAllForEachThatComes() {
    reconcile("1");
    for (int i = 0; i < 3_000; i++) {
      var uid = "u" + i;
      there.add(new ConfigMapBuilder().withNewMetadata().withUid(uid).endMetadata().build());
      reconcile(uid, "1");
    }
    verify(jobs, atMost(6)).list();
    done.clear();
    reconcile("1");
    assertThat(done).containsExactly("decide");
    reconcile("u2999", "1");
    assertThat(done).containsExactly("decide", "a");
  }

  /** Reconciles that were started by what was seen meanwhile have taken steps instead. */
  @Test
  void afterStepsTheNextDecisionIsNotFarOff() {
    next = Duration.ofSeconds(7);
    reconcile("1");
    reconcile("1");
    assertThat(reconcile("1")).contains(Duration.ofSeconds(2));
  }

  @Test
  void whatIsLeftIsDecidedAnewOnceSomebodyHasChangedTheJob() {
    reconcile("1");
    reconcile("1");
    assertThat(reconcile("2")).isEqualTo(AT_ONCE);
    // A step with it: who changes a job all the time does not keep it from being served.
    assertThat(done).containsExactly("decide", "a", "decide", "a");
    reconcile("2");
    assertThat(done).endsWith("b");
  }

  @Test
  void aRefusedStepIsDecidedAnewAndEachTimeWaitsLonger() {
    reconcile("1");
    refusals = 1;
    assertThat(reconcile("1")).isEqualTo(Optional.of(Duration.ofSeconds(2)));
    reconcile("1");
    refusals = 1;
    assertThat(reconcile("1")).isEqualTo(Optional.of(Duration.ofSeconds(4)));
    assertThat(done).containsExactly("decide", "decide");
  }

  /** Operators are called when the API server refuses what is written for jobs, and only then. */
  @Test
  void whatIsRefusedIsCountedAndWhatUsersDoIsNot() {
    var faults =
        List.<RuntimeException>of(
            new KubernetesClientException("changed", 409, null),
            new KubernetesClientException("gone", 404, null),
            new HeldBackException("the Role is another's"));
    faults.forEach(this::failToDecide);
    verify(meter, never()).reconciled(eq(JobMeter.Outcome.AGAIN), any());
    failToDecide(new KubernetesClientException("no", 403, null));
    failToDecide(new KubernetesClientException("away", 503, null));
    verify(meter, times(2)).reconciled(eq(JobMeter.Outcome.AGAIN), any());
  }

  private void failToDecide(RuntimeException fault) {
    var job =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName("j")
            .withNamespace("ml")
            .withUid("u")
            .withResourceVersion("1")
            .endMetadata()
            .build();
    loop.reconcile(
        job,
        context,
        (_, _, _) -> {
          throw fault;
        });
  }

  @Test
  void aJobThatIsDeletedMeanwhileIsLeftAlone() {
    reconcile("1");
    var deleted =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName("j")
            .withNamespace("ml")
            .withUid("u")
            .withResourceVersion("2")
            .withDeletionTimestamp("2026-11-22T00:00:00Z")
            .endMetadata()
            .build();
    var next =
        loop.reconcile(
            deleted,
            context,
            (_, _, _) -> {
              throw new AssertionError();
            });
    assertThat(next.getScheduleDelay()).isEmpty();
    assertThat(done).containsExactly("decide");
  }
}
