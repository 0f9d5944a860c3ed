/** What is to be done next for a job, decided from what it wants and what there is. */
package io.muster.controller.core.engine;
