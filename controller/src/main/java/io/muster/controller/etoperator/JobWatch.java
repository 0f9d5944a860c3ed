package io.muster.controller.etoperator;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.reconciler.IndexedResourceCache;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.muster.controller.etoperator.api.ScaleIn;
import io.muster.controller.etoperator.api.ScaleOut;
import io.muster.controller.etoperator.api.TrainingJob;

/** What the watches of one reconciler show of all jobs. Safe for concurrent use. */
record JobWatch(
    IndexedResourceCache<TrainingJob> jobs,
    InformerEventSource<Pod, TrainingJob> pods,
    InformerEventSource<ScaleIn, TrainingJob> ins,
    InformerEventSource<ScaleOut, TrainingJob> outs) {}
