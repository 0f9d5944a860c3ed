package io.muster.controller.framework;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.controller.core.elastic.AnyRoom;
import io.muster.controller.core.elastic.CapacityOracle;
import io.muster.controller.core.elastic.CapacityOracle.Amounts;
import io.muster.controller.core.elastic.Decision;
import io.muster.controller.core.elastic.Decision.Cause;
import io.muster.controller.core.elastic.Elasticity;
import io.muster.controller.core.elastic.ResizableJob;
import io.muster.controller.core.elastic.ResizableJob.Sharing;
import io.muster.controller.core.elastic.ResizableJob.Stride;
import io.muster.controller.core.elastic.ResizableJob.Terms;
import io.muster.controller.core.elastic.View;
import io.muster.controller.core.elastic.View.OnlinePod;
import io.muster.controller.core.job.JobKey;
import io.muster.controller.port.ResizeAdvice;
import io.muster.controller.port.SizeMeter;
import io.muster.controller.port.SizeMeter.Sizes;
import io.muster.controller.port.SizedJob;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.Shortage;
import io.muster.extender.core.protocol.query.WaitingGang;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Who is told what when the sizes of jobs of several kinds are decided together. */
final class CapacitySharingTest {

  private static final Instant NOW = Instant.EPOCH;
  private static final GangId URGENT = new GangId(Dialect.MUSTER, "team", "urgent");

  private final List<Decision> planned = new ArrayList<>();
  private final List<Decision> carriedOut = new ArrayList<>();
  private final List<View> views = new ArrayList<>();
  private final List<GangId> givenRoom = new ArrayList<>();
  private final List<String> asked = new ArrayList<>();
  private final List<String> told = new ArrayList<>();
  private List<Sizes> shown = List.of();

  private final Elasticity policy =
      new Elasticity() {
        @Override
        public List<Decision> plan(View view, Instant now) {
          views.add(view);
          return List.copyOf(planned);
        }

        @Override
        public void carriedOut(Decision decision, Instant now) {
          carriedOut.add(decision);
        }
      };

  private final ResizeAdvice advice =
      new ResizeAdvice() {
        @Override
        public List<WaitingGang> waiting() {
          return List.of(
              new WaitingGang(URGENT, 7),
              new WaitingGang(new GangId(Dialect.MUSTER, "team", "grows"), 0));
        }

        @Override
        public Optional<Shortage> shortage(GangId gang) {
          return Optional.empty();
        }

        @Override
        public List<OnlinePod> online() {
          return List.of(new OnlinePod("web", "team", 0, "shape"));
        }

        @Override
        public CapacityOracle room() {
          return new AnyRoom() {
            @Override
            public List<Optional<List<String>>> places(List<Wish> wishes, Collection<String> gone) {
              return Collections.nCopies(wishes.size(), Optional.empty());
            }

            @Override
            public Amounts asked() {
              return new Amounts(1_840, 176_000_000, 0);
            }

            @Override
            public Amounts offered() {
              return new Amounts(10_000, 2_000_000_000, 8);
            }
          };
        }

        @Override
        public void isGivenRoom(GangId gang) {
          givenRoom.add(gang);
        }
      };

  private final SizeMeter meter =
      new SizeMeter() {
        @Override
        public void sizes(List<Sizes> jobs) {
          shown = jobs;
        }
      };

  private class Job implements SizedJob {

    private final String key;
    private final boolean isRefused;

    Job(String key, boolean isRefused) {
      this.key = key;
      this.isRefused = isRefused;
    }

    @Override
    public JobKey key() {
      return new JobKey("team", key, "uid-of-" + key);
    }

    @Override
    public Size size() {
      var elastic =
          new ResizableJob(
              key,
              0,
              List.of(),
              1,
              2,
              Stride.ONE,
              Duration.ZERO,
              Optional.empty(),
              true,
              true,
              0,
              new Terms(Sharing.WITH_EQUALS, Duration.ofSeconds(60), List.of()));
      return new Size(2, Optional.of(elastic), List.of(key + "-leaves"), Set.of("team/grows"));
    }

    @Override
    public void ask(Decision decision) {
      if (isRefused) {
        throw new KubernetesClientException("refused");
      }
      asked.add(decision.job());
    }

    @Override
    public void tell(String reason, String sentence) {
      told.add(reason + ": " + sentence);
    }
  }

  private static Decision grow(String job) {
    return new Decision.Grow(job, 1, "grows");
  }

  private static Decision giveBack(String job) {
    return new Decision.GiveBack(
        job, List.of("w"), Cause.GANG, Optional.of("MUSTER:team/urgent"), "gives back w");
  }

  @Test
  void eachKindCarriesOutWhatIsDecidedAboutItsOwnJobs() {
    var sharing = new CapacitySharing(advice, policy, meter, false);
    planned.addAll(List.of(grow("a"), giveBack("b")));
    sharing.advance("one", List.of(new Job("a", false)), NOW);
    sharing.advance("other", List.of(new Job("b", false)), NOW);
    assertThat(asked).containsExactly("a", "b");
    assertThat(carriedOut).containsExactly(grow("a"), giveBack("b"));
    // Whoever gives back does so within one round: nobody is to be ended for the gang meanwhile.
    assertThat(givenRoom).containsExactly(URGENT, URGENT);
  }

  @Test
  void aJobThatFaultsStopsNoOther() {
    var sharing = new CapacitySharing(advice, policy, meter, false);
    var faulty =
        new Job("a", false) {
          @Override
          public void ask(Decision decision) {
            throw new IllegalStateException("what it stores cannot be read");
          }
        };
    planned.addAll(List.of(grow("a"), grow("b")));
    sharing.advance("one", List.of(faulty, new Job("b", false)), NOW);
    assertThat(asked).containsExactly("b");
    assertThat(carriedOut).containsExactly(grow("b"));
  }

  /** Its term as leader is over, and what it asks for is tried again and again in vain. */
  @Test
  @Timeout(value = 20, threadMode = ThreadMode.SEPARATE_THREAD)
  void aKindThatEndsDoesNotWaitForWhatIsBeingAskedForAndNothingMoreIs()
      throws InterruptedException {
    var sharing = new CapacitySharing(advice, policy, meter, false);
    var begun = new CountDownLatch(1);
    var answered = new CountDownLatch(1);
    var slow =
        new Job("a", false) {
          @Override
          public void ask(Decision decision) {
            begun.countDown();
            try {
              answered.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          }
        };
    planned.addAll(List.of(grow("a"), grow("b")));
    var round =
        Thread.startVirtualThread(
            () -> sharing.advance("one", List.of(slow, new Job("b", false)), NOW));
    begun.await();

    sharing.forget("one");
    assertThat(shown).isEmpty();
    answered.countDown();
    round.join();
    assertThat(asked).isEmpty();
  }

  @Test
  void jobsOfAllKindsAreDecidedAboutTogetherAndGrowthIsNoWaitingGang() {
    var sharing = new CapacitySharing(advice, policy, meter, false);
    sharing.advance("one", List.of(new Job("a", false)), NOW);
    sharing.advance("other", List.of(new Job("b", false)), NOW);
    var view = views.getLast();
    assertThat(view.jobs()).extracting(ResizableJob::key).containsExactlyInAnyOrder("a", "b");
    assertThat(view.leaving()).containsExactlyInAnyOrder("a-leaves", "b-leaves");
    assertThat(view.waiting()).containsExactly(new View.Waiting("MUSTER:team/urgent", 7));
    assertThat(view.online()).hasSize(1);
    sharing.forget("one");
    sharing.advance("other", List.of(new Job("b", false)), NOW);
    assertThat(views.getLast().jobs()).hasSize(1);
  }

  /** Each is decided on the ground of its size now: the second would undo the first. */
  @Test
  void aJobThatGivesForSeveralIsAskedOnceForAll() {
    var sharing = new CapacitySharing(advice, policy, meter, false);
    planned.add(
        new Decision.GiveBack(
            "a", List.of("v"), Cause.ONLINE, Optional.empty(), "gives back v for 2 pods"));
    planned.add(giveBack("a"));
    sharing.advance("one", List.of(new Job("a", false)), NOW);
    assertThat(asked).containsExactly("a");
    assertThat(carriedOut)
        .containsExactly(
            new Decision.GiveBack(
                "a",
                List.of("v", "w"),
                Cause.ONLINE,
                Optional.of("MUSTER:team/urgent"),
                "gives back v for 2 pods; gives back w"));
    assertThat(givenRoom).containsExactly(URGENT);
  }

  @Test
  void aDryRunTellsEachThingOnceAndAsksNothing() {
    var sharing = new CapacitySharing(advice, policy, meter, true);
    planned.add(giveBack("a"));
    sharing.advance("one", List.of(new Job("a", false)), NOW);
    sharing.advance("one", List.of(new Job("a", false)), NOW);
    planned.set(0, grow("a"));
    sharing.advance("one", List.of(new Job("a", false)), NOW);
    assertThat(told)
        .containsExactly(
            "WouldResize: gives back w; not done in a dry run",
            "WouldResize: grows; not done in a dry run");
    assertThat(asked).isEmpty();
    assertThat(carriedOut).isEmpty();
    assertThat(givenRoom).isEmpty();
  }

  @Test
  void howLargeJobsAreIsShownForAsLongAsThereAreThem() {
    var sharing = new CapacitySharing(advice, policy, meter, false);
    sharing.advance("one", List.of(new Job("a", false), new Job("b", false)), NOW);
    sharing.advance("other", List.of(new Job("c", false)), NOW);
    assertThat(shown)
        .containsExactlyInAnyOrder(
            new Sizes("one", "team", "a", 0, 2, 1, 2),
            new Sizes("one", "team", "b", 0, 2, 1, 2),
            new Sizes("other", "team", "c", 0, 2, 1, 2));
    sharing.advance("one", List.of(new Job("a", false)), NOW);
    assertThat(shown).extracting(Sizes::name).containsExactlyInAnyOrder("a", "c");
    sharing.forget("other");
    assertThat(shown).extracting(Sizes::name).containsExactly("a");
    sharing.forget("one");
    assertThat(shown).isEmpty();
  }

  @Test
  void whatTheApiserverRefusesCountsAsNotDoneAndKeepsNobodyElseWaiting() {
    var sharing = new CapacitySharing(advice, policy, meter, false);
    planned.addAll(List.of(grow("refused"), grow("a")));
    sharing.advance("one", List.of(new Job("refused", true), new Job("a", false)), NOW);
    assertThat(asked).containsExactly("a");
    assertThat(carriedOut).containsExactly(grow("a"));
  }

  @Test
  void inADryRunAJobThatIsMadeAnewByTheSameNameIsToldToo() {
    var sharing = new CapacitySharing(advice, policy, meter, true);
    planned.add(grow("a"));
    sharing.advance("one", List.of(new Job("a", false)), NOW);
    sharing.advance("one", List.of(new Job("a", false)), NOW);
    assertThat(told).hasSize(1);
    sharing.advance("one", List.of(), NOW);
    sharing.advance("one", List.of(new Job("a", false)), NOW);
    assertThat(told).hasSize(2);
  }
}
