package io.muster.deploy.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.muster.deploy.serve.lease.Clocks;
import io.muster.deploy.serve.lease.Leadership;
import io.muster.sandbox.Await;
import io.muster.sandbox.BareSandbox;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Who holds the Lease, between two that stand for it. */
@ExtendWith(SandboxExtension.class)
@BareSandbox
final class LeadershipIT {

  /** So long that an election would ask only once a minute. */
  private static final Duration LEASE = Duration.ofMinutes(5);

  private static final Duration SOON = Duration.ofSeconds(15);

  @Test
  void aLeaseThatIsGivenBackIsTakenAtOnce(Sandbox sandbox, TestSpace space) {
    var firstLeads = new CountDownLatch(1);
    var secondLeads = new CountDownLatch(1);
    try (var timers = new ServeTimers();
        var second = standing(sandbox, space, "second", timers)) {
      var first = standing(sandbox, space, "first", timers);
      first.start(firstLeads::countDown, () -> {}, () -> {});
      Await.until("the first to lead", SOON, () -> firstLeads.getCount() == 0);
      second.start(secondLeads::countDown, () -> {}, () -> {});
      Await.until("the second to follow", SOON, second::followsAnother);

      first.close();

      Await.until("the second to lead", SOON, () -> secondLeads.getCount() == 0);
    }
  }

  /** An election has begun by itself then, and may be about to take it when the watch tells. */
  @Test
  void aLeaseThatWasGivenBackHereEndsNoElection(Sandbox sandbox, TestSpace space) {
    var leads = new CountDownLatch(1);
    var lease = sandbox.client().leases().inNamespace(space.namespace()).withName("muster");
    sandbox.client().resource(heldBy("another", space)).create();
    try (var timers = new ServeTimers();
        var first = standing(sandbox, space, "first", timers)) {
      first.start(leads::countDown, () -> {}, () -> {});
      Await.until("the first to follow", SOON, first::followsAnother);

      lease.edit(found -> heldBy(found, "first"));
      lease.edit(found -> heldBy(found, null));

      assertThat(Await.within(Duration.ofSeconds(3), () -> leads.getCount() == 0)).isFalse();
      lease.edit(found -> heldBy(found, "another"));
      lease.edit(found -> heldBy(found, null));
      Await.until("the first to lead", SOON, () -> leads.getCount() == 0);
    }
  }

  /** Somebody has given it away by hand for thirty years. */
  @Test
  void itIsKnownForHowLongNobodyHasRenewedALeaseThatAnotherHolds(Sandbox sandbox, TestSpace space) {
    var leads = new CountDownLatch(1);
    var given = heldBy("nobody", space);
    given.getSpec().setLeaseDurationSeconds(1_000_000_000);
    sandbox.client().resource(given).create();
    try (var timers = new ServeTimers();
        var first = standing(sandbox, space, "first", timers, Duration.ofSeconds(5))) {
      first.start(leads::countDown, () -> {}, () -> {});
      Await.until(
          "the lease to be overdue",
          SOON,
          () -> first.unrenewed().compareTo(Duration.ofSeconds(6)) > 0);
      assertThat(leads.getCount()).isOne();

      sandbox.client().resource(given).delete();

      Await.until("the first to lead", SOON, () -> leads.getCount() == 0);
      assertThat(first.unrenewed()).isZero();
    }
  }

  private static Lease heldBy(String holder, TestSpace space) {
    var now = ZonedDateTime.now(ZoneOffset.UTC);
    return new LeaseBuilder()
        .withNewMetadata()
        .withName("muster")
        .withNamespace(space.namespace())
        .endMetadata()
        .withNewSpec()
        .withHolderIdentity(holder)
        .withLeaseDurationSeconds((int) LEASE.toSeconds())
        .withAcquireTime(now)
        .withRenewTime(now)
        .withLeaseTransitions(0)
        .endSpec()
        .build();
  }

  private static Lease heldBy(Lease lease, String holder) {
    return new LeaseBuilder(lease).editSpec().withHolderIdentity(holder).endSpec().build();
  }

  @Test
  void aLeaseThatSomebodyHasEditedKeepsNobodyFromStandingForever(Sandbox sandbox, TestSpace space) {
    var edited =
        new LeaseBuilder()
            .withNewMetadata()
            .withName("muster")
            .withNamespace(space.namespace())
            .endMetadata()
            .withNewSpec()
            .withHolderIdentity("somebody")
            .endSpec()
            .build();
    sandbox.client().resource(edited).create();
    var leads = new CountDownLatch(1);
    try (var timers = new ServeTimers();
        var first = standing(sandbox, space, "first", timers, Duration.ofSeconds(5))) {
      first.start(leads::countDown, () -> {}, () -> {});
      var asked = Instant.now().plusSeconds(2);
      Await.until("it to have been asked for twice", SOON, () -> Instant.now().isAfter(asked));

      sandbox.client().resource(edited).delete();

      Await.until("the first to lead", SOON, () -> leads.getCount() == 0);
    }
  }

  private static Leadership standing(
      Sandbox sandbox, TestSpace space, String identity, ServeTimers timers) {
    return standing(sandbox, space, identity, timers, LEASE);
  }

  private static Leadership standing(
      Sandbox sandbox, TestSpace space, String identity, ServeTimers timers, Duration lease) {
    return new Leadership(
        sandbox.client(),
        new Leadership.Terms(space.namespace(), identity, lease),
        Clocks.ofTheMachine(),
        timers,
        () -> true);
  }
}
