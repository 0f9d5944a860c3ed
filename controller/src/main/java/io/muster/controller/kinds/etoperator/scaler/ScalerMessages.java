package io.muster.controller.kinds.etoperator.scaler;

import io.muster.controller.core.engine.News;
import io.muster.controller.core.state.ResizeFault;
import io.muster.controller.kube.Conditions;
import io.muster.controller.kube.Ownership;

/** What has come about in a scaler, in et-operator's words. Names are {@code ScaleIn:ns/name}. */
public final class ScalerMessages {

  private static final String IN = "ScaleIn:";

  private ScalerMessages() {}

  public static String id(String kind, String namespace, String name) {
    return kind + ":" + namespace + "/" + name;
  }

  /** What has come of a resize, as a condition of the job and of the scaler alike. */
  public static void note(Conditions conditions, String job, News.OfResize item) {
    var way = item.id().startsWith(IN) ? "ScalingIn" : "ScalingOut";
    switch (item) {
      case News.ResizeStarted(String id) ->
          conditions.happened(
              "Scaling", "ScalingStart", "trainingJobob(%s) execute %s".formatted(job, id));
      case News.ResizeSucceeded(String id, boolean wasForced) ->
          conditions.happened(
              "ScaleSucceeded",
              way + "Succeeded",
              wasForced
                  ? "%s has Succeeded, forced: the launcher still worked with some".formatted(id)
                  : "%s has Succeeded".formatted(id));
      case News.ResizeFailed(String id, var fault) ->
          conditions.happened("ScaleFailed", way + "Failed", message(id, fault));
      case News.ResizeNoticed _, News.ResizeTold _, News.ResizeSlow _ -> {}
    }
  }

  /** Why it was not carried out. */
  private static String message(String id, ResizeFault fault) {
    return switch (fault) {
      case ResizeFault.Unclear(String problem) -> problem;
      case ResizeFault.NoSuchMembers(var names) ->
          ".spec.toDelete.podNames: the job has no worker %s".formatted(String.join(", ", names));
      case ResizeFault.NobodyLeft(int members) ->
          ".spec.toDelete.count should be less than current replicas %d".formatted(members);
      case ResizeFault.BelowLeast(int left, int least) ->
          "workers after scale-in %d < minReplicas %d".formatted(left, least);
      case ResizeFault.AboveMost(int members, int most) ->
          "workers after scale-out %d > maxReplicas %d".formatted(members, most);
      case ResizeFault.TimedOut _ -> "scaleout job %s execution timeout".formatted(id);
      case ResizeFault.Untold _ ->
          "%s: the launcher could not be told of its workers in time".formatted(id);
      case ResizeFault.MemberEnded(String name) ->
          "worker %s ended before all new workers ran".formatted(name);
      case ResizeFault.NodesLeaving(var names) ->
          "the nodes of %s will go".formatted(String.join(", ", names));
      case ResizeFault.GaveWay _ -> "gave way to workers that have to leave their nodes";
      case ResizeFault.Refused(String message) ->
          "scaleout job %s execution timeout: %s".formatted(id, message);
      case ResizeFault.ScriptFailed(String message) -> "the script failed: " + message;
      case ResizeFault.JobEnded _ -> "job finished";
      case ResizeFault.EarlierJob _ -> Ownership.LEFT;
    };
  }
}
