package io.muster.bench;

import io.muster.extender.core.gang.GangKeys;
import java.time.Duration;

/**
 * The objects that the rounds create, as JSON. A pod names its Job as its controller, so that it
 * may be treated as one that can be recreated; the Jobs are managed by somebody the job controller
 * does not know, and so it leaves them and the pods alone.
 */
final class Manifests {

  static final String NAMESPACE = "bench";
  static final String FILLED_NAMESPACE = "filled";
  static final String PODS = "/api/v1/namespaces/" + NAMESPACE + "/pods";
  static final String JOBS = "/apis/batch/v1/namespaces/" + NAMESPACE + "/jobs";
  static final String GANGS = "/apis/muster.io/v1alpha1/namespaces/" + NAMESPACE + "/gangs";
  static final String SERVICES = "/api/v1/namespaces/" + NAMESPACE + "/services";
  static final String DI_JOBS =
      "/apis/diengine.opendilab.org/v1alpha1/namespaces/" + NAMESPACE + "/dijobs";
  static final String TRAINING_JOBS =
      "/apis/kai.alibabacloud.com/v1alpha1/namespaces/" + NAMESPACE + "/trainingjobs";
  static final String DEFAULT_SCHEDULER = "default-scheduler";

  /** Label of the nodes of a rack. */
  static final String RACK = "example.com/rack";

  /** Nobody schedules for it. */
  static final String NO_SCHEDULER = "nobody";

  private Manifests() {}

  static String namespace(String name) {
    return """
    {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"%s"}}\
    """
        .formatted(name);
  }

  static String job(Gang gang) {
    return """
    {"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"%s"},"spec":{
     "managedBy":"muster.io/bench","parallelism":%d,"completions":%d,"template":{
      "spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"any"}]}}}}\
    """
        .formatted(gang.name(), gang.members(), gang.members());
  }

  /** A member of a gang, owned by the Job of that uid. */
  static String member(Gang.Member member, String jobUid, String scheduler) {
    var gang = member.gang();
    return """
    {"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s","annotations":{
      "%s":"%s","%s":"%d","%s":"%d"},
      "ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"%s","uid":"%s","controller":true}]},
     "spec":{"restartPolicy":"Never","schedulerName":"%s","containers":[{"name":"main","image":"any",
      "resources":{"requests":{"cpu":"100m"},"limits":{"nvidia.com/gpu":"%d"}}}]}}\
    """
        .formatted(
            member.name(),
            GangKeys.NAME,
            gang.name(),
            GangKeys.MIN,
            gang.members(),
            GangKeys.INDEX,
            member.index(),
            gang.name(),
            jobUid,
            scheduler,
            gang.gpus());
  }

  /** The same member with that PriorityClass. */
  static String ofPriority(String member, String priorityClass) {
    return member.replace(
        "\"spec\":{\"restartPolicy\"",
        "\"spec\":{\"priorityClassName\":\"%s\",\"restartPolicy\"".formatted(priorityClass));
  }

  /** The same member, which says how long it runs. */
  static String running(String member, Duration time) {
    return member.replace(
        "\"annotations\":{",
        "\"annotations\":{\"%s\":\"%dms\",".formatted(GangKeys.RUN_TIME, time.toMillis()));
  }

  /** The same member, which had better be in one rack with the others. */
  static String preferringRack(String member) {
    return member.replace(
        "\"annotations\":{",
        "\"annotations\":{\"%s\":\"%s\",".formatted(GangKeys.TOPOLOGY_PREFERRED, RACK));
  }

  static String priority(String name, int value) {
    return """
    {"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"%s"},"value":%d}\
    """
        .formatted(name, value);
  }

  /** A member that nobody owns. */
  static String ownerless(Gang.Member member) {
    var gang = member.gang();
    return """
    {"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s","annotations":{"%s":"%s","%s":"%d"}},
     "spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"any",
      "resources":{"requests":{"cpu":"100m"},"limits":{"nvidia.com/gpu":"%d"}}}]}}\
    """
        .formatted(
            member.name(), GangKeys.NAME, gang.name(), GangKeys.MIN, gang.members(), gang.gpus());
  }

  /** A pod of no gang; on a node already where one is named. */
  static String single(String name, int gpus, String node, String scheduler) {
    return """
    {"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s"},
     "spec":{"restartPolicy":"Never","schedulerName":"%s",%s"containers":[{"name":"main","image":"any",
      "resources":{"requests":{"cpu":"100m"}%s}}]}}\
    """
        .formatted(
            name,
            scheduler,
            node.isEmpty() ? "" : "\"nodeName\":\"" + node + "\",",
            gpus == 0 ? "" : ",\"limits\":{\"nvidia.com/gpu\":\"" + gpus + "\"}");
  }

  /** A job with a launcher and so many workers of one GPU each. */
  static String trainingJob(String name, int workers) {
    return """
    {"apiVersion":"kai.alibabacloud.com/v1alpha1","kind":"TrainingJob","metadata":{"name":"%s"},
     "spec":{"etReplicaSpecs":{
      "launcher":{"replicas":1,"template":{"spec":{"containers":[{"name":"main","image":"any",
       "command":["horovodrun"]}]}}},
      "worker":{"replicas":%d,"template":{"spec":{"containers":[{"name":"main","image":"any",
       "resources":{"requests":{"cpu":"100m"},"limits":{"nvidia.com/gpu":"1"}}}]}}}}}}\
    """
        .formatted(name, workers);
  }

  /** A job with a coordinator that may ask for collectors. */
  static String coordinatedJob(String name) {
    return """
    {"apiVersion":"diengine.opendilab.org/v1alpha1","kind":"DIJob","metadata":{"name":"%s"},
     "spec":{"coordinator":{"template":{"spec":{"containers":[{"name":"main","image":"any"}]}}},
      "collector":{"template":{"spec":{"containers":[{"name":"main","image":"any"}]}}}}}\
    """
        .formatted(name);
  }

  static String binding(String pod, String node) {
    return """
    {"apiVersion":"v1","kind":"Binding","metadata":{"name":"%s"},
     "target":{"apiVersion":"v1","kind":"Node","name":"%s"}}\
    """
        .formatted(pod, node);
  }
}
