package io.muster.controller.kinds.etoperator.api;

import io.muster.controller.api.Condition;
import java.util.List;

/** What the statuses of scalers have in common. A wire type: absent fields are null. */
public sealed interface ScalerStatus permits ScaleInStatus, ScaleOutStatus {

  List<Condition> conditions();

  String startTime();

  String completionTime();

  /** Names of the workers that come or go. */
  List<String> plan();
}
