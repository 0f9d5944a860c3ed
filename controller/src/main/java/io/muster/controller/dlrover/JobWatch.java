package io.muster.controller.dlrover;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.reconciler.IndexedResourceCache;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.muster.controller.dlrover.api.ElasticJob;
import io.muster.controller.dlrover.api.ScalePlan;

/** What the watches of one reconciler show of all jobs. Safe for concurrent use. */
record JobWatch(
    IndexedResourceCache<ElasticJob> jobs,
    InformerEventSource<Pod, ElasticJob> pods,
    InformerEventSource<ScalePlan, ElasticJob> plans) {}
