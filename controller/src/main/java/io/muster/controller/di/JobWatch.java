package io.muster.controller.di;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.reconciler.IndexedResourceCache;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.muster.controller.di.api.DIJob;

/** What the watches of one reconciler show of all jobs with tasks. Safe for concurrent use. */
record JobWatch(IndexedResourceCache<DIJob> jobs, InformerEventSource<Pod, DIJob> pods) {}
