package io.muster.deploy.serve;

import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.muster.sandbox.Await;
import io.muster.sandbox.BareSandbox;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.time.Instant;
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
      first.start(firstLeads::countDown, () -> {});
      Await.until("the first to lead", SOON, () -> firstLeads.getCount() == 0);
      second.start(secondLeads::countDown, () -> {});
      Await.until("the second to follow", SOON, second::followsAnother);

      first.close();

      Await.until("the second to lead", SOON, () -> secondLeads.getCount() == 0);
    }
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
      first.start(leads::countDown, () -> {});
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
