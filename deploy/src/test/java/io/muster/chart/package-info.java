/** The Helm chart: what it renders, what it refuses, and what an installation leaves behind. */
package io.muster.chart;
