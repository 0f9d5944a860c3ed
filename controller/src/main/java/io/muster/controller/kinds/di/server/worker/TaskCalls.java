package io.muster.controller.kinds.di.server.worker;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.core.job.Job;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.Task;
import io.muster.controller.kinds.di.coordinator.PodUrls;
import io.muster.controller.kinds.di.job.DiNames;
import io.muster.controller.kinds.di.job.JobFrame;
import io.muster.controller.kinds.di.server.call.Caller;
import io.muster.controller.kinds.di.server.call.DiReply;
import io.muster.controller.kinds.di.server.call.DiView;
import io.muster.controller.kinds.di.server.call.Fields;
import io.muster.controller.kinds.di.server.call.JobId;
import io.muster.controller.kinds.di.server.call.RefusedException;
import io.muster.controller.kinds.di.task.Ranks;
import io.muster.controller.kinds.di.task.TaskSpecMapper;
import io.muster.controller.kube.pod.PodEnds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Calls about jobs with tasks, and with copies of one template. Safe for concurrent use. */
public final class TaskCalls {

  /** Of what a job reports of itself. */
  static final int MOST_BYTES_OF_PROFILINGS = 16 * 1024;

  private static final int MOST = Job.MOST_MEMBERS;
  private static final String PROFILINGS = "/status/profilings";

  private final DiView view;
  private final Lookup lookup;
  private final JobChanges changes;

  public TaskCalls(DiView view, DiStore store) {
    this.view = view;
    this.lookup = new Lookup(view, store);
    this.changes = new JobChanges(store);
  }

  /** The address of each pod by rank; empty text for those that are not ready. */
  public DiReply get(String id, Caller caller) {
    var job = job(id, caller);
    var pods =
        view.pods(job).stream()
            .collect(Collectors.toMap(pod -> pod.getMetadata().getName(), Function.identity()));
    var names = Ranks.of(job, JobFrame.state(job));
    var addresses = new ArrayList<String>();
    for (int rank = 0; !names.isEmpty() && rank <= names.lastKey(); rank++) {
      addresses.add(address(pods, names.getOrDefault(rank, "")));
    }
    return DiReply.done("successfully get replicas", addresses);
  }

  private static String address(Map<String, Pod> pods, String name) {
    var pod = pods.get(name);
    return pod != null && PodEnds.isReady(pod) ? PodUrls.byAddress(pod).orElse("") : "";
  }

  public DiReply add(String id, byte[] body, Caller caller) {
    var job = job(id, caller);
    int more = replicas(body);
    changes.change(job, known -> resized(known, more));
    return DiReply.done("successfully add replicas");
  }

  public DiReply delete(String id, byte[] body, Caller caller) {
    var job = job(id, caller);
    int fewer = replicas(body);
    changes.change(job, known -> resized(known, -fewer));
    return DiReply.done("successfully delete replicas");
  }

  private static int replicas(byte[] body) {
    return Fields.of(body)
        .count("replicas", 1, MOST)
        .orElseThrow(
            () -> RefusedException.malformed("replicas is missing; say how many, from 1 on"));
  }

  private DIJob job(String id, Caller caller) {
    var job =
        JobId.find(
            id,
            (namespace, name) -> {
              caller.requireNamespace(namespace);
              return lookup.job(namespace, name);
            });
    caller.require(job);
    if (job.getSpec() == null || job.getSpec().coordinator() != null) {
      throw RefusedException.malformed(
          "DIJob %s has a coordinator; its workers are asked for at /v1alpha1/replicas"
              .formatted(job.getMetadata().getName()));
    }
    return job;
  }

  private static JobChanges.Change<Integer> resized(DIJob job, int difference) {
    Lookup.requireLive(job);
    var tasks = TaskSpecMapper.tasks(job);
    int elastic = TaskSpecMapper.elastic(tasks);
    int all = tasks.stream().mapToInt(Task::knownReplicas).sum() + difference;
    check(job, all, difference > 0);
    int replicas = tasks.get(elastic).knownReplicas() + difference;
    return new JobChanges.Change<>(
        job.getSpec().tasks() == null
            ? JobChanges.annotation(job, DiNames.COPIES, Integer.toString(replicas))
            : List.of(new DiStore.Edit("/spec/tasks/%d/replicas".formatted(elastic), replicas)),
        replicas);
  }

  private static void check(DIJob job, int all, boolean isMore) {
    var most = job.getSpec().maxReplicas();
    if (!TaskSpecMapper.isElastic(job) || (isMore && most == null)) {
      throw RefusedException.malformed(
          "the job has a fixed number of pods; set spec.maxReplicas (and spec.minReplicas) to resize"
              + " it");
    }
    if (isMore && all > MOST) {
      throw RefusedException.malformed(
          "%d pods would be more than %d, the most members of a gang; ask for fewer"
              .formatted(all, MOST));
    }
    if (isMore && all > most) {
      throw RefusedException.malformed(
          "%d pods would be above maxReplicas %d; raise spec.maxReplicas".formatted(all, most));
    }
    int least = TaskSpecMapper.leastPods(job);
    if (!isMore && all < least) {
      throw RefusedException.malformed(
          "%d pods would be too few: the job needs %d; lower spec.minReplicas, or the replicas of"
                  .formatted(all, least)
              + " other tasks");
    }
  }

  /** Keeps what a job reports of itself. */
  public DiReply profile(String id, byte[] body, Caller caller) {
    var job = job(id, caller);
    if (body.length > MOST_BYTES_OF_PROFILINGS) {
      throw RefusedException.tooLarge(
          "profilings must be at most %d bytes long".formatted(MOST_BYTES_OF_PROFILINGS));
    }
    var all = Fields.of(body).object();
    var report = all.size() == 1 && all.has("data") ? all.get("data") : all;
    if (!report.isObject()) {
      throw RefusedException.malformed("data must be an object");
    }
    var profilings = new ObjectMapper().convertValue(report, Map.class);
    changes.changeStatus(
        job,
        known ->
            new JobChanges.Change<>(
                List.of(
                    known.getStatus() == null
                        ? new DiStore.Edit("/status", Map.of("profilings", profilings))
                        : new DiStore.Edit(PROFILINGS, profilings)),
                true));
    return DiReply.done("successfully report profilings");
  }
}
