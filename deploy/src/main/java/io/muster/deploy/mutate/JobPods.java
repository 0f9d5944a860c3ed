package io.muster.deploy.mutate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What controllers of Jobs write into the pods of one Job, of which there may be several in a
 * JobSet; the first of each is what is told of. Immutable.
 *
 * @param name of the Job
 * @param isIndexed whether its pods have positions
 * @param marks labels and annotations of all its pods
 * @param subdomain of all its pods; empty where they have none
 */
record JobPods(String name, boolean isIndexed, Map<String, String> marks, String subdomain) {

  private static final String INDEX = "batch.kubernetes.io/job-completion-index";
  private static final String JOB_NAME = "batch.kubernetes.io/job-name";
  private static final String SET = "jobset.sigs.k8s.io/";
  private static final Pattern IN_SET =
      Pattern.compile("spec\\.replicatedJobs\\[(\\d{1,9})]\\.template\\.spec\\.template");

  JobPods {
    marks = Map.copyOf(marks);
  }

  /**
   * Those of a template.
   *
   * @param object that has the template
   * @param owner name of the object
   * @param job the part of the object that has the template
   * @param path of the template in the object
   */
  static JobPods of(JsonNode object, String owner, JsonNode job, String path) {
    var mode = job.path("completionMode").asText();
    var inSet = IN_SET.matcher(path);
    if (!object.path("kind").asText().equals("JobSet") || !inSet.matches()) {
      return new JobPods(owner, mode.equals("Indexed"), Map.of(), "");
    }
    var jobs = object.path("spec").path("replicatedJobs");
    var replicated = jobs.path(Integer.parseInt(inSet.group(1)));
    var name = replicated.path("name").asText();
    int all = 0;
    for (var one : jobs) {
      all += one.path("replicas").asInt(1);
    }
    var marks = new TreeMap<String, String>();
    marks.put(SET + "jobset-name", owner);
    marks.put(SET + "jobset-uid", Manifests.NO_UID);
    marks.put(SET + "replicatedjob-name", name);
    marks.put(SET + "replicatedjob-replicas", replicated.path("replicas").asText("1"));
    marks.put(SET + "global-replicas", Integer.toString(all));
    marks.put(SET + "job-index", "0");
    var subdomain = object.path("spec").path("network").path("subdomain").asText();
    return new JobPods(
        "%s-%s-0".formatted(owner, name),
        !mode.equals("NonIndexed"),
        marks,
        subdomain.isEmpty() ? owner : subdomain);
  }

  /** Whether anything is written into them. */
  boolean isAny() {
    return isIndexed || !marks.isEmpty();
  }

  /** Writes it into the first. */
  void mark(ObjectNode metadata, ObjectNode spec) {
    var labels = metadata.withObject("/labels");
    var annotations = metadata.withObject("/annotations");
    marks.forEach((key, value) -> {
      labels.put(key, value);
      annotations.put(key, value);
    });
    metadata.put("generateName", name + "-");
    labels.put(JOB_NAME, name);
    if (!subdomain.isEmpty()) {
      spec.put("subdomain", subdomain);
    }
    if (isIndexed) {
      metadata.put("generateName", name + "-0-");
      labels.put(INDEX, "0");
      annotations.put(INDEX, "0");
      spec.put("hostname", name + "-0");
    }
  }
}
