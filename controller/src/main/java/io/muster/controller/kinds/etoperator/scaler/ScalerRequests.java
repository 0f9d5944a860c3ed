package io.muster.controller.kinds.etoperator.scaler;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.framework.JobAccess;
import io.muster.controller.framework.JobWrites;
import io.muster.controller.kinds.etoperator.api.ScaleIn;
import io.muster.controller.kinds.etoperator.api.ScaleInSpec;
import io.muster.controller.kinds.etoperator.api.ScaleOut;
import io.muster.controller.kinds.etoperator.api.ScaleOutSpec;
import io.muster.controller.kinds.etoperator.api.Scaler;
import io.muster.controller.kinds.etoperator.api.Selector;
import io.muster.controller.kinds.etoperator.api.ToAdd;
import io.muster.controller.kinds.etoperator.api.ToDelete;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kinds.etoperator.job.EtOperatorNames;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.OwnResizes;
import java.util.List;
import java.util.Map;

/** Makes scalers in the user's stead, and takes them back. Safe for concurrent use. */
public final class ScalerRequests {

  private final JobAccess access;

  public ScalerRequests(JobAccess access) {
    this.access = access;
  }

  /** Makes a scaler; what has been asked for is not asked for again. */
  public void ask(TrainingJob job, Action.Ask ask) {
    var name = job.getMetadata().getName();
    var labels =
        Map.of(EtOperatorNames.GENERATED_LABEL, "true", EtOperatorNames.JOB_ID_LABEL, name);
    var selector = new Selector(name);
    HasMetadata scaler =
        switch (ask.change()) {
          case Change.Add(int count) -> {
            var out = new ScaleOut();
            out.setSpec(new ScaleOutSpec(selector, new ToAdd(count), null, null, null, null));
            yield out;
          }
          case Change.Remove(int count) -> in(selector, new ToDelete(count, null));
          case Change.RemoveNamed(List<String> names) -> in(selector, new ToDelete(null, names));
          case Change.AddLost _, Change.To _, Change.Unclear _ ->
              throw new IllegalArgumentException("a scaler cannot say this: " + ask);
        };
    OwnResizes.mark(scaler, job, ask, labels);
    access.writes().putIfAbsent(scaler);
  }

  private static ScaleIn in(Selector selector, ToDelete which) {
    var in = new ScaleIn();
    in.setSpec(new ScaleInSpec(selector, which, null, null, null, null));
    return in;
  }

  /** Deletes that very scaler, unless a user wrote it. */
  public void withdraw(Scaler<?, ?> scaler) {
    if (isOwn(scaler)) {
      JobWrites.delete(access.client(), scaler);
    }
  }

  /** Whether no user wrote it. */
  static boolean isOwn(Scaler<?, ?> scaler) {
    return "true".equals(Marks.labels(scaler).get(EtOperatorNames.GENERATED_LABEL));
  }
}
