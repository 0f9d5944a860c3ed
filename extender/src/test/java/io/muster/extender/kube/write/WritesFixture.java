package io.muster.extender.kube.write;

import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.kube.ScriptedApi;
import io.muster.extender.kube.gang.GangDirectory;
import io.muster.extender.port.LeaderLease;
import io.muster.extender.port.WriteMeter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/** Writes against a scripted apiserver, on the test's own thread and with time that it moves. */
final class WritesFixture implements AutoCloseable {

  /** Of one request, in real time: a machine that is busy with other work answers late. */
  static final Duration REQUEST = Duration.ofSeconds(30);

  final ScriptedApi api = new ScriptedApi();
  final GangDirectory directory = new GangDirectory();
  final List<Event> answers = new ArrayList<>();
  final List<String> counted = new ArrayList<>();
  final Queue<Runnable> later = new ArrayDeque<>();
  final Queue<Runnable> waiting = new ArrayDeque<>();
  Instant now = Instant.parse("2026-01-01T00:00:00.5Z");
  Instant leaseUntil = Instant.MAX;
  boolean atOnce = true;
  private boolean pausesPass = true;

  private final ClusterWrites writes =
      new ClusterWrites(
          api.client(),
          directory,
          new ClusterWrites.Settings("muster", REQUEST, Duration.ofSeconds(4), 8),
          new ClusterWrites.Surroundings(
              this::execute,
              this::delay,
              () -> now,
              () -> now,
              this::count,
              new LeaderLease() {
                @Override
                public Instant heldUntil() {
                  return leaseUntil;
                }

                @Override
                public boolean followsAnother() {
                  return false;
                }
              }));

  void run(Effect... effects) {
    writes.run(List.of(effects), answers::add);
  }

  /** Later work is kept for the test to run, instead of running at once. */
  void keepLaterWork() {
    pausesPass = false;
  }

  private void execute(Runnable work) {
    if (atOnce) {
      work.run();
    } else {
      waiting.add(work);
    }
  }

  private void delay(Duration delay, Runnable work) {
    now = now.plus(delay);
    if (pausesPass) {
      work.run();
    } else {
      later.add(work);
    }
  }

  private void count(WriteMeter.Kind kind, WriteMeter.Outcome outcome) {
    counted.add(kind + " " + outcome);
  }

  @Override
  public void close() {
    api.close();
  }
}
