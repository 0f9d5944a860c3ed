package io.muster.simulator.world.cluster;

import io.muster.extender.core.cluster.Pod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** A job on its way through the replay. Milliseconds since the beginning of the trace. */
public final class RunningJob {

  /**
   * Until its size changes, or it ends, it works at one rate.
   *
   * @param standstill before it does any work
   * @param isOfResize whether it stands still because its size has changed
   * @param rate in shares of what it does with the pods that start together
   */
  private record Stretch(long from, long standstill, boolean isOfResize, double rate) {

    long ran(long now) {
      return now - from;
    }

    long worked(long now) {
      return Math.max(0, ran(now) - standstill);
    }
  }

  public final TraceJob job;
  public final long submittedAt;

  /** Pods of its present life, by uid. */
  public final Map<String, Pod> pods = new LinkedHashMap<>();

  /**
   * Uids of the part that may have more pods, without those on their way out, the oldest first.
   * Empty for a job that keeps its size.
   */
  public final List<String> workers = new ArrayList<>();

  /** Uids of the other pods of such a job. */
  public final List<String> companions = new ArrayList<>();

  /** When those have gone that it gave back, by uid. */
  final Map<String, Long> leaving = new LinkedHashMap<>();

  public int lives;

  /** Grows whenever what was planned for it no longer holds. */
  public int plan;

  /** Pods of its present life that were ever made. */
  public int made;

  public int bound;
  public long boundGpus;

  /** Work that is done and saved, in time with the pods that start together. */
  long saved;

  public OptionalLong firstStartAt = OptionalLong.empty();
  public boolean ending;

  private Optional<Stretch> stretch = Optional.empty();

  public RunningJob(TraceJob job) {
    this.job = job;
    this.submittedAt = job.submit().toMillis();
  }

  /** Begins another life: its pods are recreated, as many as start together. */
  public void beginLife() {
    lives++;
    plan++;
    made = 0;
    ending = false;
    bound = 0;
    boundGpus = 0;
    stretch = Optional.empty();
    pods.clear();
    workers.clear();
    companions.clear();
    leaving.clear();
  }

  /** The pods are there with which this life begins, part by part. */
  public void membersMade() {
    made = pods.size();
    if (job.elastic().isEmpty()) {
      return;
    }
    var uids = List.copyOf(pods.keySet());
    int part = job.elastic().get().part();
    int from = job.parts().stream().limit(part).mapToInt(TraceJob.Part::pods).sum();
    int to = from + job.parts().get(part).pods();
    workers.addAll(uids.subList(from, to));
    companions.addAll(uids.subList(0, from));
    companions.addAll(uids.subList(to, uids.size()));
  }

  public void workerMade(Pod pod) {
    made++;
    workers.add(pod.key().uid());
  }

  /**
   * It is told to leave.
   *
   * @throws IllegalStateException if fewer would stay than start together
   */
  public void workerLeaves(String uid, long gone) {
    workers.remove(uid);
    leaving.put(uid, gone);
    int least = job.parts().get(job.elastic().orElseThrow().part()).pods();
    if (workers.size() < least) {
      throw new IllegalStateException(
          "job %s would have %d of at least %d pods".formatted(job.id(), workers.size(), least));
    }
  }

  /** Those that were told to leave and have gone by now. */
  public List<Pod> takeGone(long now) {
    var gone =
        leaving.entrySet().stream()
            .filter(entry -> entry.getValue() <= now)
            .map(Map.Entry::getKey)
            .toList();
    leaving.keySet().removeAll(gone);
    return gone.stream().map(pods::get).toList();
  }

  public boolean isWhole() {
    return bound == job.pods();
  }

  /** Devices that some of its pods hold while the others have no node yet. */
  public long incompleteGpus() {
    return isWhole() ? 0 : boundGpus;
  }

  public int preemptions() {
    return Math.max(0, lives - 1);
  }

  /** What it takes to go on where it was cut short; milliseconds. */
  public long overhead(Costs costs) {
    return lives == 1 ? 0 : costs.restart().toMillis();
  }

  /** Begins to work, all its pods being there; says when it will be done. */
  public long work(long now, long standstill) {
    return begin(new Stretch(now, standstill, false, rate()));
  }

  /** Goes on with other workers; says when it will be done. */
  public long workOn(long now, long standstill) {
    long before = stretch.map(last -> last.standstill() - last.ran(now)).orElse(0L);
    plan++;
    return begin(new Stretch(now, Math.max(standstill, before), true, rate()));
  }

  private long begin(Stretch next) {
    stretch = Optional.of(next);
    double left = Math.max(0, job.duration().toMillis() - saved) / next.rate();
    return next.from() + next.standstill() + (long) Math.ceil(left);
  }

  private double rate() {
    return job.elastic()
        .map(elastic ->
            elastic.speed().of(workers.size())
                / elastic.speed().of(job.parts().get(elastic.part()).pods()))
        .orElse(1.0);
  }

  /**
   * All that it has done so far is saved.
   *
   * @return device seconds in which it stood still because its size had changed
   */
  public double save(long now) {
    if (stretch.isEmpty()) {
      return 0;
    }
    var last = stretch.get();
    saved += (long) (last.rate() * last.worked(now));
    long stood = last.isOfResize() ? Math.min(last.ran(now), last.standstill()) : 0;
    return (double) stood * gpus() / 1000;
  }

  /**
   * It is ended before it is done.
   *
   * @return device seconds that led to nothing
   */
  public double cutShort(long now, Costs costs) {
    if (stretch.isEmpty()) {
      return 0;
    }
    var last = stretch.get();
    long kept = costs.kept(Duration.ofMillis(last.worked(now))).toMillis();
    saved += (long) (last.rate() * kept);
    return (double) (last.ran(now) - kept) * gpus() / 1000;
  }

  /** Devices of all pods that are not on their way out, once it is whole. */
  private long gpus() {
    long more =
        job.elastic()
            .map(TraceJob.Elastic::part)
            .map(job.parts()::get)
            .map(part -> (long) (workers.size() - part.pods()) * part.gpus())
            .orElse(0L);
    return job.gpus() + more;
  }
}
