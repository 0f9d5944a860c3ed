package io.muster.deploy.serve.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaderElectionRecord;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.Lock;
import io.muster.sandbox.Await;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

/** One election is ended while it asks, and the next one goes on with what it has taken. */
final class ElectionTest {

  private static final Duration LEASE = Duration.ofSeconds(15);

  private final KubernetesClient client = Mockito.mock(KubernetesClient.class);
  private final CountDownLatch isWriting = new CountDownLatch(1);
  private final CountDownLatch mayWrite = new CountDownLatch(1);
  private final List<String> told = new CopyOnWriteArrayList<>();
  private final Election election =
      new Election(lock(), () -> told.add("gained"), () -> told.add("lost"));

  /** A write takes until it may. */
  private final class SlowLock implements Lock {

    @Override
    public LeaderElectionRecord get(KubernetesClient asked) {
      return null;
    }

    @Override
    public void create(KubernetesClient asked, LeaderElectionRecord wanted) {
      write();
    }

    @Override
    public void update(KubernetesClient asked, LeaderElectionRecord wanted) {
      write();
    }

    private void write() {
      isWriting.countDown();
      await(mayWrite);
      told.add("written");
    }

    @Override
    public String identity() {
      return "me";
    }

    @Override
    public String describe() {
      return "a lock";
    }
  }

  private WatchedLock lock() {
    return new WatchedLock(
        new SlowLock(),
        new Leadership.Terms("muster-system", "me", LEASE),
        new HeldLease(Clocks.ofTheMachine(), LEASE),
        new ObservedLease(Clocks.ofTheMachine()),
        () -> true);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static LeaderElectionRecord mine() {
    var now = ZonedDateTime.now(ZoneOffset.UTC);
    return new LeaderElectionRecord("me", LEASE, now, now, 0);
  }

  /** The library tells of it, and gives it back, all the same. */
  @Test
  void whatItTakesWhileItIsEndedIsLeftToTheNext() throws Exception {
    var taking =
        CompletableFuture.runAsync(() -> {
          election.update(client, mine());
          election.callbacks().onStartLeading();
        });
    await(isWriting);
    var ending = CompletableFuture.runAsync(() -> election.end(client, false));
    mayWrite.countDown();
    ending.get(10, TimeUnit.SECONDS);
    assertThat(told).as("the end waits for the write").startsWith("written");
    taking.get(10, TimeUnit.SECONDS);

    assertThat(election.get(client).getHolderIdentity()).isNotEqualTo("me");
    assertThatThrownBy(() -> election.update(client, mine()))
        .isInstanceOf(KubernetesClientException.class);
    election.callbacks().onStopLeading();
    assertThat(told.stream().filter("gained"::equals).count())
        .as("%s", told)
        .isEqualTo(told.stream().filter("lost"::equals).count());
    Mockito.verifyNoInteractions(client);
  }

  /** As it is ended where the watch tells that the lease was given back. */
  @Test
  void theLibraryGivesNothingBackThatTheNextGoesOnWith() throws Exception {
    var nowhere = new ConfigBuilder().withMasterUrl("https://127.0.0.1:1").build();
    try (var real = new KubernetesClientBuilder().withConfig(nowhere).build()) {
      var config =
          new LeaderElectionConfigBuilder()
              .withName("muster")
              .withLock(election)
              .withLeaseDuration(LEASE)
              .withRenewDeadline(Duration.ofSeconds(10))
              .withRetryPeriod(Duration.ofMillis(50))
              .withReleaseOnCancel(true)
              .withLeaderCallbacks(election.callbacks())
              .build();
      var asking = real.leaderElector().withConfig(config).build().start();
      await(isWriting);
      var ending =
          Thread.ofPlatform()
              .start(() -> {
                election.end(real, false);
                asking.cancel(true);
              });
      // It waits for the write that is under way, and comes before the next.
      assertThat(Await.within(LEASE, () -> ending.getState() == Thread.State.BLOCKED)).isTrue();
      mayWrite.countDown();
      assertThat(ending.join(LEASE)).isTrue();

      Await.within(Duration.ofMillis(300), () -> false);
      assertThat(told.stream().filter("written"::equals)).hasSize(1);
      assertThat(told.stream().filter("gained"::equals).count())
          .as("%s", told)
          .isEqualTo(told.stream().filter("lost"::equals).count());
    }
  }

  @Test
  void whoeverWasToldThatItLeadsIsToldOfTheEndOnce() {
    mayWrite.countDown();
    election.update(client, mine());
    election.callbacks().onStartLeading();
    election.end(client, false);
    election.callbacks().onStopLeading();
    election.callbacks().onStartLeading();

    assertThat(told).containsExactly("written", "gained", "lost");
  }

  @Test
  void nobodyIsToldOfTheEndBeforeTheBeginning() throws Exception {
    var isGaining = new CountDownLatch(1);
    var mayGain = new CountDownLatch(1);
    var slow =
        new Election(
            lock(),
            () -> {
              isGaining.countDown();
              await(mayGain);
              told.add("gained");
            },
            () -> told.add("lost"));
    var gaining = CompletableFuture.runAsync(slow.callbacks()::onStartLeading);
    await(isGaining);
    var ending = CompletableFuture.runAsync(() -> slow.end(client, false));
    mayGain.countDown();
    gaining.get(10, TimeUnit.SECONDS);
    ending.get(10, TimeUnit.SECONDS);

    assertThat(told).containsExactly("gained", "lost");
  }
}
