package io.muster.controller.kai;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.reconciler.IndexedResourceCache;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.muster.controller.kai.api.ScaleIn;
import io.muster.controller.kai.api.ScaleOut;
import io.muster.controller.kai.api.TrainingJob;

/** What the watches of one reconciler show of all jobs. Safe for concurrent use. */
record JobWatch(
    IndexedResourceCache<TrainingJob> jobs,
    InformerEventSource<Pod, TrainingJob> pods,
    InformerEventSource<ScaleIn, TrainingJob> ins,
    InformerEventSource<ScaleOut, TrainingJob> outs) {}
