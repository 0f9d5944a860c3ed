package io.muster.controller.kinds.etoperator.api;

import io.muster.controller.api.Condition;
import java.util.List;
import java.util.Map;

/** What the status of all three kinds has in common. Times are RFC 3339; absent fields are null. */
public sealed interface ConditionedStatus permits TrainingJobStatus, ScaleInStatus, ScaleOutStatus {

  /** Where the object stands, in one word. */
  String phase();

  /** What has happened, the latest last. Always written, be it empty. */
  List<Condition> conditions();

  /** Counts of pods by role, Launcher or Worker. Always written, be it empty. */
  Map<String, RolePodCounts> replicaStatuses();

  /** When Muster took the object up. */
  String startTime();

  /** When it ended. */
  String completionTime();

  /** Never written; objects of earlier controllers may bear it. */
  String lastReconcileTime();

  /** The scaler that is being served, {@code ScaleIn:<namespace>/<name>}. */
  String currentScaler();

  /** Times that the whole job was started anew. Always written. */
  Integer restartCount();
}
