package io.muster.bench;

import io.muster.sandbox.SandboxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/**
 * Members of gangs offered to the API server at a steady rate, with no kube-scheduler beside it:
 * how many it stores a second without a webhook, with the least one, and with Muster. How long
 * Muster's webhook took is its own figure, from the body read to the answer.
 */
final class Admissions {

  private static final double RATIO_BAR = 0.8;
  private static final double SHARE_BAR = 0.99;
  private static final int GANG_SIZE = 50;

  private final int perSecond;
  private final Duration time;
  private final List<Double> shares = new ArrayList<>();

  Admissions(int perSecond, Duration time) {
    this.perSecond = perSecond;
    this.time = time;
  }

  Verdict measure(Pairs.Plan plan) {
    try (var arena = Arena.with(0)) {
      var pairs = new Pairs(arena, plan);
      pairs.play((_, _, counts) -> round(arena, counts));
      pairs.print("pods/s", "%.0f"::formatted);
      var ratio = pairs.ratio(Side.MUSTER, Side.BARE);
      var least = pairs.ratio(Side.PROBE, Side.BARE);
      var share = shares.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(median());
      return new Verdict(
          "admission",
          "pods/s",
          Verdict.HIGHER,
          pairs.medians(),
          ratio,
          "ratio >= %s and withinFiveMillis >= %s at %d pods/s offered"
              .formatted(RATIO_BAR, SHARE_BAR, perSecond),
          ratio.isPresent() && share.isPresent()
              ? Optional.of(ratio.getAsDouble() >= RATIO_BAR && share.getAsDouble() >= SHARE_BAR)
              : Optional.empty(),
          Map.of(
              "withinFiveMillis", share.orElse(Double.NaN),
              "leastWebhookRatio", least.orElse(Double.NaN)));
    }
  }

  private double median() {
    return Verdict.median(shares);
  }

  private double round(Arena arena, boolean counts) {
    // It would try pods that wait without a gate, and not those with one: another story.
    arena.sandbox().scheduler().kill();
    var before = Answers.read(arena);
    double stored = offer(arena);
    var answers = Answers.read(arena).since(before);
    if (counts) {
      System.out.printf(
          "    %.0f pods/s stored of %d offered%s%n",
          stored,
          perSecond,
          answers.all() == 0
              ? ""
              : ", %.4f of %.0f answers within 5 ms".formatted(answers.share(), answers.all()));
      if (answers.all() > 0) {
        shares.add(answers.share());
      }
    }
    arena.clean();
    return stored;
  }

  /** Pods a second from the first one sent to the last one stored. */
  private double offer(Arena arena) {
    int pods = (int) (perSecond * time.toMillis() / 1000);
    var all = new ArrayList<Future<?>>(pods);
    long begun = System.nanoTime();
    try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < pods; i++) {
        long due = begun + i * 1_000_000_000L / perSecond;
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
          LockSupport.parkNanos(left);
        }
        var gang = new Gang("g" + i / GANG_SIZE, GANG_SIZE, 1);
        var body = Manifests.ownerless(new Gang.Member(gang, i % GANG_SIZE));
        all.add(clients.submit(() -> arena.api().post(Manifests.PODS, body).orFail("a pod")));
      }
      for (var one : all) {
        one.get();
      }
    } catch (ExecutionException e) {
      throw new SandboxException(String.valueOf(e.getCause().getMessage()), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SandboxException("The clients were interrupted.", e);
    }
    return pods / Round.seconds(begun, System.nanoTime());
  }

  /** Pods that Muster has changed so far, and how many of them within 5 ms, in its own figures. */
  private record Answers(double all, double within) {

    static Answers read(Arena arena) {
      return new Answers(
          figure(arena, "muster_admission_seconds_count{outcome=\"changed\"}"),
          figure(arena, "muster_admission_seconds_bucket{outcome=\"changed\",le=\"0.005\"}"));
    }

    private static double figure(Arena arena, String series) {
      return arena.muster().flatMap(muster -> muster.metric(series)).orElse(0.0);
    }

    Answers since(Answers before) {
      return new Answers(all - before.all, within - before.within);
    }

    double share() {
      return within / all;
    }
  }
}
