package io.muster.controller.kinds.etoperator.scaler;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.controller.core.engine.News;
import io.muster.controller.core.engine.Outcome;
import io.muster.controller.core.state.Member;
import io.muster.controller.core.state.Resize;
import io.muster.controller.core.state.Resize.Stage;
import io.muster.controller.core.state.ResizeFault;
import io.muster.controller.framework.JobAccess;
import io.muster.controller.framework.ReconciledJob;
import io.muster.controller.kinds.etoperator.api.ScaleIn;
import io.muster.controller.kinds.etoperator.api.ScaleOut;
import io.muster.controller.kinds.etoperator.api.Scaler;
import io.muster.controller.kinds.etoperator.api.ScalerStatus;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kinds.etoperator.launcher.LauncherMemory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The scalers of one job, as they were when it was reconciled, and the way to store how far they
 * are. Serves one reconcile.
 */
public final class Scalers {

  private final JobAccess access;
  private final KubernetesClient client;
  private final LauncherMemory memory;
  private final Map<String, Scaler<?, ?>> scalers = new HashMap<>();
  private final List<Resize> resizes = new ArrayList<>();
  private final List<Scaler<?, ?>> left = new ArrayList<>();

  public Scalers(JobAccess access, ReconciledJob.Seen<TrainingJob, LauncherMemory> seen) {
    this.access = access;
    this.client = access.client();
    this.memory = seen.memory();
    add(seen.watch().others(seen.job(), ScaleIn.class), ScaleIn.class);
    add(seen.watch().others(seen.job(), ScaleOut.class), ScaleOut.class);
    addLeft(seen.watch().leftByEarlier(seen.job(), ScaleIn.class), ScaleIn.class);
    addLeft(seen.watch().leftByEarlier(seen.job(), ScaleOut.class), ScaleOut.class);
  }

  private <R extends Scaler<?, ?>> void addLeft(List<R> cached, Class<R> type) {
    cached.stream()
        .map(scaler -> memory.newest(scaler, type))
        .filter(scaler -> !memory.isLeftAlone(scaler))
        .forEach(left::add);
  }

  private <R extends Scaler<?, ?>> void add(List<R> cached, Class<R> type) {
    for (var each : cached) {
      var scaler = memory.newest(each, type);
      if (memory.isLeftAlone(scaler)) {
        continue;
      }
      var resize = ScalerMapper.resize(scaler);
      resizes.add(resize);
      scalers.put(resize.request().id(), scaler);
    }
  }

  public List<Resize> resizes() {
    return List.copyOf(resizes);
  }

  /** Ids of those whose context has come, as far as that is stored. */
  public Set<String> underWay() {
    return resizes.stream()
        .filter(resize -> resize.stage() == Stage.SCALING)
        .map(resize -> resize.request().id())
        .collect(Collectors.toSet());
  }

  public Resize resize(String id) {
    return resizes.stream()
        .filter(resize -> resize.request().id().equals(id))
        .findFirst()
        .orElseThrow();
  }

  /** That of the request of that id, which it has. */
  public Scaler<?, ?> scaler(String id) {
    return scalers.get(id);
  }

  public void store(TrainingJob job, Outcome outcome, List<Member> members) {
    for (var resize : outcome.resizes()) {
      var scaler = scalers.get(resize.request().id());
      access.write(job, scaler, memory, () -> store(scaler, job, resize, outcome, members));
    }
  }

  /** Those that an earlier job had taken up. */
  public List<Scaler<?, ?>> left() {
    return List.copyOf(left);
  }

  /** Says so on those of them that users wrote. */
  public void endLeft(TrainingJob job) {
    for (var scaler : left) {
      if (!ScalerRequests.isOwn(scaler) && !ScalerMapper.resize(scaler).stage().isEnd()) {
        access.write(job, scaler, memory, () -> fail(scaler, job));
      }
    }
  }

  private <T extends ScalerStatus> void fail(Scaler<?, T> known, TrainingJob job) {
    var now = access.clock().instant();
    var resize = ScalerMapper.resize(known).ended(Stage.FAILED, now);
    var failed = new News.ResizeFailed(resize.request().id(), new ResizeFault.EarlierJob());
    var changed = client.getKubernetesSerialization().clone(known);
    changed.setStatus(ScalerMapper.status(changed, fullName(job), resize, List.of(failed), 0, now));
    memory.wrote(client.resource(changed).updateStatus());
  }

  private static String fullName(TrainingJob job) {
    return job.getMetadata().getNamespace() + "/" + job.getMetadata().getName();
  }

  private <T extends ScalerStatus> void store(
      Scaler<?, T> known, TrainingJob job, Resize resize, Outcome outcome, List<Member> members) {
    var full = fullName(job);
    var changed = access.writes().owned(job, known);
    long up =
        members.stream()
            .filter(member -> resize.plan().contains(member.name()) && member.isUp())
            .count();
    changed.setStatus(
        ScalerMapper.status(changed, full, resize, outcome.news(), up, access.clock().instant()));
    memory.wrote(client.resource(changed).updateStatus());
  }
}
